# Each statement is run by DuckDB itself and through the check: the rows must be the same, or it is refused for what stands in brackets.
SELECT strftime(issued_on, '%Y-%m') AS month, COUNT(*) AS n FROM invoice GROUP BY month ORDER BY month
SELECT name FROM customer WHERE strftime(joined, '%Y') = '2024' ORDER BY name
SELECT strftime('%Y', issued_on) AS year FROM invoice ORDER BY id
SELECT id, date_trunc('month', issued_on) AS month FROM invoice ORDER BY id
SELECT id, date_trunc('hour', issued_at) AS h FROM invoice ORDER BY id
SELECT id, year(issued_on) AS y, month(issued_on) AS m, day(issued_on) AS d FROM invoice ORDER BY id
SELECT year(issued_on) AS y, SUM(total) AS t FROM invoice GROUP BY y ORDER BY y
SELECT id, extract(year FROM issued_on) AS y, date_part('month', issued_on) AS m FROM invoice ORDER BY id
SELECT id, extract('dow' FROM issued_on) AS d, dayofweek(issued_on) AS e, isodow(issued_on) AS f FROM invoice ORDER BY id
SELECT id, week(issued_on) AS w, quarter(issued_on) AS q FROM invoice ORDER BY id
SELECT id, date_diff('day', DATE '2024-01-01', issued_on) AS days FROM invoice ORDER BY id
SELECT id, datediff('month', DATE '2024-01-01', issued_on) AS months FROM invoice ORDER BY id
SELECT id, date_sub('month', DATE '2024-01-31', issued_on) AS months FROM invoice ORDER BY id
SELECT id, issued_on + INTERVAL 1 MONTH AS due FROM invoice ORDER BY id
SELECT id, issued_on + 7 AS due FROM invoice ORDER BY id
SELECT id, issued_on - DATE '2024-01-01' AS days FROM invoice ORDER BY id
SELECT id, issued_on - INTERVAL '3 months' AS earlier FROM invoice ORDER BY id
SELECT id, issued_at - TIMESTAMP '2024-01-01 00:00:00' AS since FROM invoice ORDER BY id
SELECT id, age(issued_at, TIMESTAMP '2024-01-01') AS since FROM invoice ORDER BY id
SELECT id, last_day(issued_on) AS month_end FROM invoice ORDER BY id
SELECT id, monthname(issued_on) AS m, dayname(issued_on) AS d FROM invoice ORDER BY id
SELECT id, epoch(issued_at) AS s FROM invoice ORDER BY id
SELECT make_date(2024, id, 28) AS d FROM customer ORDER BY id
SELECT strptime('0' || id || '.02.2024', '%d.%m.%Y') AS d FROM customer ORDER BY id
SELECT CAST(issued_at AS DATE) AS d, issued_at::date AS e FROM invoice ORDER BY id
SELECT id FROM invoice WHERE issued_on BETWEEN '2024-01-01' AND '2024-12-31' ORDER BY id
SELECT id FROM invoice WHERE issued_at >= '2024-03-01' ORDER BY id
SELECT id, pieces / 2 AS half, pieces // 2 AS whole, pieces % 4 AS rest FROM invoice ORDER BY id
SELECT (id - 8) / 2 AS a, (id - 8) // 2 AS b, (id - 8) % 2 AS c FROM customer ORDER BY id
SELECT name FROM customer WHERE name LIKE 'an%' ORDER BY name
SELECT name FROM customer WHERE name ILIKE 'an%' ORDER BY name
SELECT name FROM customer WHERE name GLOB 'A*' ORDER BY name
[SIMILAR TO] SELECT name FROM customer WHERE name SIMILAR TO 'A.*' ORDER BY name
[REPEAT] SELECT repeat(country, 2) AS r FROM customer ORDER BY id
[REGEXP_MATCHES] SELECT name FROM customer WHERE regexp_matches(name, '^A') ORDER BY name
[REGEXP_REPLACE] SELECT regexp_replace(email, '@.*', '') AS who FROM customer ORDER BY id
[REGEXP_EXTRACT] SELECT regexp_extract(email, '@(.*)$', 1) AS domain, COUNT(*) AS n FROM customer GROUP BY 1 ORDER BY 1
SELECT name || ' ' || country AS label FROM customer ORDER BY id
SELECT concat(name, ' ', country) AS label, concat_ws('-', name, country) AS w FROM customer ORDER BY id
[BRACKET] SELECT name[1:2] AS t FROM customer ORDER BY id
SELECT substr(name, 1, 3) AS s, left(name, 2) AS l, right(name, 2) AS r FROM customer ORDER BY id
SELECT substring(name, -2) AS s FROM customer ORDER BY id
SELECT instr(email, '@') AS a, strpos(email, '@') AS b, position('@' IN email) AS c FROM customer ORDER BY id
SELECT split_part(email, '@', 2) AS domain FROM customer ORDER BY id
[BRACKET] SELECT string_split(email, '@')[2] AS domain FROM customer ORDER BY id
SELECT upper(name) AS u, lower(name) AS l, length(name) AS n, strlen(name) AS b FROM customer ORDER BY id
SELECT lpad(country, 4, '.') AS p, reverse(country) AS v FROM customer ORDER BY id
SELECT trim(note, 'x') AS t, ltrim(note) AS l, rtrim(note) AS r FROM invoice ORDER BY id
SELECT format('{:.1f}', total::DOUBLE) AS f, printf('%d', id) AS p FROM invoice ORDER BY id
SELECT ifnull(note, 'none') AS note, coalesce(note, '-') AS c FROM invoice ORDER BY id
SELECT if(pieces > 3, 'many', 'few') AS size FROM invoice ORDER BY id
SELECT country, string_agg(name, ', ' ORDER BY name) AS names FROM customer GROUP BY country ORDER BY country
[LIST] SELECT country, list(name ORDER BY name) AS names FROM customer GROUP BY ALL ORDER BY country
SELECT median(total) AS m FROM invoice
[PERCENTILE_CONT] SELECT quantile_cont(total, 0.25) AS q, mode(customer_id) AS o FROM invoice
SELECT stddev(total) AS s, variance(total) AS v, stddev_pop(total) AS p FROM invoice
SELECT arg_max(id, total) AS best FROM invoice
[FIRST] SELECT first(id ORDER BY id) AS f FROM invoice
SELECT COUNT(*) FILTER (WHERE paid) AS paid, count_if(paid) AS c FROM invoice
SELECT SUM(CASE WHEN paid THEN total ELSE 0 END) AS paid FROM invoice
SELECT round(total, 1) AS r, round(id + 0.5) AS a, round(-id - 0.5) AS b FROM invoice ORDER BY id
SELECT total::INTEGER AS whole, CAST(total AS VARCHAR) AS t, TRY_CAST(note AS INTEGER) AS n FROM invoice ORDER BY id
SELECT ceil(total) AS c, floor(total) AS f, power(pieces, 2) AS p, sqrt(pieces) AS s, abs(-id) AS b FROM invoice ORDER BY id
SELECT log(id) AS a, ln(id) AS b, log2(id) AS c, log10(id) AS d, exp(id) AS e, log(2, id) AS f FROM customer ORDER BY id
SELECT greatest(pieces, 4) AS g, least(pieces, 4) AS l FROM invoice ORDER BY id
SELECT id FROM invoice ORDER BY note, id
SELECT id FROM invoice ORDER BY note DESC, id
SELECT id FROM invoice ORDER BY note DESC NULLS LAST, id
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY issued_on) AS nth FROM invoice ORDER BY id
SELECT id, customer_id FROM invoice QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY issued_on DESC) = 1 ORDER BY id
SELECT id, SUM(total) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS moving FROM invoice ORDER BY id
SELECT DISTINCT ON (customer_id) customer_id, id FROM invoice ORDER BY customer_id, id
[ROLLUP] SELECT customer_id, SUM(total) AS t FROM invoice GROUP BY ROLLUP (customer_id) ORDER BY ALL
SELECT * EXCLUDE (note) FROM invoice ORDER BY id
[COLUMNS] SELECT COLUMNS('.*_no') FROM line ORDER BY 1
FROM customer SELECT name ORDER BY name
SELECT c.name, SUM(i.total) AS revenue FROM customer c JOIN invoice i ON i.customer_id = c.id GROUP BY c.name ORDER BY revenue DESC
SELECT c.country, i.note FROM customer c LEFT JOIN invoice i ON i.customer_id = c.id ORDER BY c.id, i.id
[SEMI JOIN] SELECT name FROM customer SEMI JOIN invoice ON invoice.customer_id = customer.id ORDER BY name
[ANTI JOIN] SELECT name FROM customer ANTI JOIN invoice ON invoice.customer_id = customer.id ORDER BY name
SELECT l.product, s.carrier FROM shipment s JOIN line l USING (invoice_id, line_no) ORDER BY 1, 2
SELECT l.product, SUM(s.weight) AS w FROM shipment s JOIN line l USING (invoice_id, line_no) GROUP BY 1 ORDER BY 1
SELECT product, round(SUM(price * quantity), 2) AS r FROM line GROUP BY product ORDER BY r DESC LIMIT 1
SELECT x.total FROM (SELECT id, total FROM invoice) AS x ORDER BY x.total
SELECT id, current_date > joined AS later FROM customer ORDER BY id
SELECT id FROM invoice WHERE issued_on < current_date - INTERVAL 30 DAY ORDER BY id
SELECT CASE WHEN country = 'CH' THEN 'home' ELSE 'abroad' END AS place, COUNT(*) FROM customer GROUP BY 1 ORDER BY 1
SELECT name FROM customer WHERE starts_with(name, 'A') AND contains(email, '@') ORDER BY name
[UNNEST] SELECT unnest([1, 2]) AS n FROM customer WHERE id = 1
SELECT date_trunc('quarter', issued_on)::DATE AS q, SUM(total) AS t FROM invoice GROUP BY q ORDER BY q
SELECT strftime(date_trunc('week', issued_on), '%d.%m.%Y') AS w FROM invoice ORDER BY id
SELECT to_timestamp(1700000000 + id)::TIMESTAMP AS at FROM customer ORDER BY id
SELECT julian(issued_on) AS j FROM invoice ORDER BY id
SELECT time_bucket(INTERVAL '1 month', issued_on) AS b, COUNT(*) FROM invoice GROUP BY b ORDER BY b
SELECT datepart('year', issued_on) AS y, date_part('epoch', issued_at) AS e FROM invoice ORDER BY id
SELECT date_add(issued_on, INTERVAL 1 DAY) AS d FROM invoice ORDER BY id
[BITWISEAND] SELECT id & 3 AS a FROM customer ORDER BY id
SELECT id ** 3 AS e, id ^ 3 AS f FROM customer ORDER BY id
SELECT ascii(name) AS b, md5(name) AS m FROM customer ORDER BY id
[HASH] SELECT hash(name) AS h FROM customer ORDER BY id
SELECT bool_and(paid) AS a, bool_or(paid) AS o FROM invoice
[CORR] SELECT corr(total, pieces) AS c FROM invoice
SELECT name FROM customer WHERE name IS DISTINCT FROM 'Anna' ORDER BY name
SELECT levenshtein(name, 'Anna') AS d FROM customer ORDER BY id
SELECT translate(name, 'a', 'o') AS t FROM customer ORDER BY id
SELECT -id AS id FROM customer ORDER BY id
[name] SELECT id, -id AS name FROM customer ORDER BY name
SELECT id, -id AS minus FROM customer ORDER BY minus
SELECT -id AS id FROM customer ORDER BY id + 0
SELECT -id AS id FROM customer ORDER BY abs(id)
SELECT substr(name, 1, 1) AS name, COUNT(*) AS n FROM customer GROUP BY name ORDER BY 1, 2
SELECT substr(name, 1, 1) AS first, COUNT(*) AS n FROM customer GROUP BY first ORDER BY 1, 2
[id] SELECT country, COUNT(*) AS id FROM customer GROUP BY country HAVING COUNT(*) > 1 ORDER BY id
SELECT customer_id, SUM(pieces) AS pieces FROM invoice GROUP BY customer_id ORDER BY pieces, customer_id
SELECT upper(country) AS country FROM customer WHERE country = 'CH' ORDER BY country
SELECT DISTINCT country FROM customer ORDER BY country DESC
SELECT id, total FROM invoice ORDER BY total DESC LIMIT 2
SELECT id, total FROM invoice ORDER BY total LIMIT 2
SELECT id, RANK() OVER (ORDER BY pieces) AS r FROM invoice ORDER BY id
SELECT COUNT(*) AS n, COUNT(note) AS filled, COUNT(DISTINCT note) AS kinds FROM invoice
SELECT MIN(note) AS low, MAX(note) AS high FROM invoice
SELECT name FROM customer WHERE country NOT IN ('CH') ORDER BY id
SELECT name FROM customer WHERE country <> 'CH' OR country IS NULL ORDER BY id
SELECT id FROM invoice WHERE NOT (pieces > 3 AND total > 100) ORDER BY id
SELECT CASE WHEN pieces > 3 THEN total ELSE pieces END AS x FROM invoice ORDER BY id
SELECT COALESCE(pieces, total) AS x FROM invoice ORDER BY id
SELECT id FROM customer UNION SELECT customer_id FROM invoice ORDER BY 1
SELECT id FROM customer INTERSECT SELECT customer_id FROM invoice ORDER BY 1
SELECT c.name, i.id FROM customer c FULL JOIN invoice i ON i.customer_id = c.id ORDER BY c.id, i.id
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM invoice) ORDER BY 1
SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM invoice) ORDER BY 1
SELECT 2 * pieces - 1 AS x, -pieces AS y, pieces - - 1 AS z FROM invoice ORDER BY id
SELECT total * 1.075 AS gross, total / 3 AS third FROM invoice ORDER BY id
SELECT pieces * 100 / 7 AS a, 100 * (pieces / 7) AS b, 100.0 * pieces / 7 AS c FROM invoice ORDER BY id
SELECT 'a' || name || 1 AS x FROM customer ORDER BY id
SELECT name FROM customer WHERE name LIKE '%n_' ORDER BY id
[name] SELECT name FROM customer WHERE name LIKE '%!%' ESCAPE '!' ORDER BY id
SELECT name FROM customer WHERE name > 'B' ORDER BY id
SELECT length(name) AS n, upper(name) AS u FROM customer ORDER BY id
SELECT AVG(total) AS a, AVG(pieces) AS b FROM invoice
SELECT customer_id, AVG(pieces) AS a FROM invoice GROUP BY customer_id HAVING AVG(pieces) > 3 ORDER BY 1
SELECT SUM(total) / SUM(pieces) AS price FROM invoice
SELECT ROUND(AVG(total), 2) AS a FROM invoice
SELECT SUM(pieces) * 1.0 / COUNT(*) AS a, SUM(pieces) / COUNT(*) AS b FROM invoice
SELECT product, SUM(price * quantity) AS r FROM line GROUP BY product HAVING SUM(price * quantity) > 1 ORDER BY r DESC
SELECT id FROM invoice WHERE NOT (pieces > 3 AND issued_on > '2024-01-01') ORDER BY id
SELECT id FROM invoice WHERE NOT (pieces > 1 AND total <> 5) OR pieces IS NULL ORDER BY id
SELECT id, total > 100 AS big, issued_on < '2024-02-01' AS early FROM invoice ORDER BY id
[FORMAT] SELECT format('{0}{0}', name) AS twice FROM customer
SELECT age(DATE '2024-12-31', joined) AS since, joined + INTERVAL '1 month 3 days' AS later FROM customer ORDER BY id
