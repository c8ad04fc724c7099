# Each statement is run by PostgreSQL itself and through the check: the rows must be the same, or it is refused for what stands in brackets.
SELECT to_char(issued_on, 'YYYY-MM') AS month, COUNT(*) AS n FROM invoice GROUP BY month ORDER BY month
SELECT to_char(total, 'FM999990.00') AS t FROM invoice ORDER BY id
SELECT to_char(issued_on, 'Day') AS d, to_char(issued_on, 'FMMonth DD') AS m, to_char(issued_at, 'HH24:MI') AS c FROM invoice ORDER BY id
SELECT id, date_trunc('month', issued_on) AS month FROM invoice ORDER BY id
SELECT id, date_trunc('month', issued_on)::date AS month FROM invoice ORDER BY id
SELECT id, date_trunc('hour', issued_at) AS h FROM invoice ORDER BY id
SELECT id, extract(year FROM issued_on) AS y, date_part('month', issued_on) AS m FROM invoice ORDER BY id
SELECT id, extract(dow FROM issued_on) AS d, extract(isodow FROM issued_on) AS e, extract(doy FROM issued_on) AS f FROM invoice ORDER BY id
SELECT id, extract(epoch FROM issued_at) AS s FROM invoice ORDER BY id
SELECT id, extract(week FROM issued_on) AS w, extract(quarter FROM issued_on) AS q FROM invoice ORDER BY id
SELECT extract(year FROM issued_on) AS y, SUM(total) AS t FROM invoice GROUP BY y ORDER BY y
SELECT id, issued_on - DATE '2024-01-01' AS days FROM invoice ORDER BY id
SELECT id, issued_at - TIMESTAMP '2024-01-01' AS since FROM invoice ORDER BY id
SELECT id, issued_on + INTERVAL '1 month' AS due FROM invoice ORDER BY id
SELECT id, issued_on + 7 AS due FROM invoice ORDER BY id
SELECT id, issued_on - INTERVAL '3 months' AS earlier, issued_on + 30 * INTERVAL '1 day' AS later FROM invoice ORDER BY id
SELECT id, age(issued_at, TIMESTAMP '2024-01-01') AS since FROM invoice ORDER BY id
SELECT id, extract(day FROM issued_at - TIMESTAMP '2024-01-01') AS days FROM invoice ORDER BY id
SELECT id, extract(epoch FROM (issued_at - TIMESTAMP '2024-01-01')) / 3600 AS hours FROM invoice ORDER BY id
SELECT AVG(issued_on - DATE '2024-01-01') AS days FROM invoice
SELECT AVG(issued_at - TIMESTAMP '2024-01-01') AS since FROM invoice
SELECT to_date('0' || id || '.02.2024', 'DD.MM.YYYY') AS d FROM customer ORDER BY id
SELECT to_timestamp(1700000000 + id) AS at FROM customer ORDER BY id
SELECT make_date(2024, id, 28) AS d FROM customer ORDER BY id
[MAKE_INTERVAL] SELECT make_interval(days => id) AS i FROM customer ORDER BY id
SELECT issued_at::date AS d, CAST(issued_at AS DATE) AS e FROM invoice ORDER BY id
SELECT id FROM invoice WHERE issued_on BETWEEN '2024-01-01' AND '2024-12-31' ORDER BY id
SELECT id FROM invoice WHERE issued_on >= CURRENT_DATE - INTERVAL '100 years' ORDER BY id
SELECT id FROM invoice WHERE issued_at < NOW() ORDER BY id
SELECT id, pieces / 2 AS half, pieces / 2.0 AS exact, pieces % 4 AS rest FROM invoice ORDER BY id
SELECT (id - 8) / 2 AS a, (id - 8) % 2 AS b, id / 2::float AS c, mod(id - 8, 2) AS d, div(id, 2) AS e FROM customer ORDER BY id
SELECT SUM(pieces) / COUNT(*) AS whole, SUM(pieces)::float / COUNT(*) AS mean FROM invoice
SELECT COUNT(*) FILTER (WHERE paid) * 100 / COUNT(*) AS percent FROM invoice
SELECT name FROM customer WHERE name LIKE 'an%' ORDER BY name
SELECT name FROM customer WHERE name ILIKE 'an%' ORDER BY name
SELECT name FROM customer WHERE name NOT ILIKE '%A%' ORDER BY name
[~] SELECT name FROM customer WHERE name ~ '^A' ORDER BY name
[~*] SELECT name FROM customer WHERE name ~* '^a' ORDER BY name
[~] SELECT name FROM customer WHERE name !~ '^A' ORDER BY name
[SIMILAR TO] SELECT name FROM customer WHERE name SIMILAR TO '(A|B)%' ORDER BY name
[REGEXP_REPLACE] SELECT regexp_replace(email, '@.*', '') AS who FROM customer ORDER BY id
[REGEXP_REPLACE] SELECT regexp_replace(name, 'n', 'm', 'g') AS r FROM customer ORDER BY id
[SUBSTRING] SELECT substring(email FROM '@(.*)$') AS domain FROM customer ORDER BY id
SELECT substring(name FROM 2 FOR 3) AS s, substr(name, 2) AS t FROM customer ORDER BY id
SELECT substring(name, -1, 3) AS s FROM customer ORDER BY id
SELECT left(name, 2) AS l, right(name, 2) AS r, left(name, -1) AS m FROM customer ORDER BY id
SELECT split_part(email, '@', 2) AS domain, COUNT(*) AS n FROM customer GROUP BY 1 ORDER BY 1
SELECT position('@' IN email) AS p, strpos(email, '@') AS q FROM customer ORDER BY id
SELECT name || ' (' || country || ')' AS label FROM customer ORDER BY id
SELECT 'n' || id AS label FROM customer ORDER BY id
SELECT concat(name, ' ', country) AS label, concat_ws('-', name, country) AS w FROM customer ORDER BY id
SELECT upper(name) AS u, lower(name) AS l, length(name) AS n, initcap(email) AS i FROM customer ORDER BY id
SELECT lpad(country, 4, '.') AS p, reverse(country) AS v FROM customer ORDER BY id
SELECT trim(both 'x' FROM note) AS t, btrim(note) AS b, ltrim(note, 'f') AS l FROM invoice ORDER BY id
SELECT format('%s-%s', name, id) AS f FROM customer ORDER BY id
SELECT translate(name, 'a', 'o') AS t, ascii(name) AS a, md5(name) AS m FROM customer ORDER BY id
[CHR] SELECT chr(65 + id) AS c FROM customer ORDER BY id
[OVERLAY] SELECT overlay(name placing 'X' from 1 for 1) AS o FROM customer ORDER BY id
SELECT coalesce(note, '-') AS c, nullif(note, '') AS n FROM invoice ORDER BY id
SELECT greatest(pieces, 4) AS g, least(pieces, 4) AS l FROM invoice ORDER BY id
SELECT country, string_agg(name, ', ' ORDER BY name) AS names FROM customer GROUP BY country ORDER BY country
[ARRAY_AGG] SELECT country, array_agg(name ORDER BY name) AS names FROM customer GROUP BY country ORDER BY country
[PERCENTILE_CONT] SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) AS m, mode() WITHIN GROUP (ORDER BY customer_id) AS o FROM invoice
SELECT stddev(total) AS s, variance(total) AS v, stddev_pop(total) AS p, var_samp(total) AS w FROM invoice
SELECT bool_and(paid) AS a, bool_or(paid) AS o FROM invoice
[EVERY] SELECT every(paid) AS e FROM invoice
SELECT SUM(CASE WHEN paid THEN total ELSE 0 END) AS paid FROM invoice
SELECT SUM(paid::int) AS paid FROM invoice
SELECT round(total, 1) AS r, round(id + 0.5) AS a, round(-id - 0.5) AS b, round(id + 0.5::float) AS c, trunc(total) AS t FROM invoice ORDER BY id
SELECT total::int AS whole, CAST(total AS TEXT) AS t, id::text || 'x' AS x FROM invoice ORDER BY id
SELECT ceil(total) AS c, floor(total) AS f, power(pieces, 2) AS p, sqrt(pieces) AS s, abs(-id) AS b, sign(-id) AS g FROM invoice ORDER BY id
SELECT log(id) AS a, ln(id) AS b, log(2, id) AS c, exp(id) AS e, id ^ 3 AS f FROM customer ORDER BY id
[BITWISEXOR] SELECT id # 1 AS c FROM customer ORDER BY id
SELECT id FROM invoice ORDER BY note, id
SELECT id FROM invoice ORDER BY note DESC, id
SELECT id FROM invoice ORDER BY note DESC NULLS LAST, id
SELECT id FROM invoice ORDER BY id FETCH FIRST 2 ROWS ONLY
SELECT id FROM invoice ORDER BY id OFFSET 1 LIMIT 2
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY issued_on) AS nth FROM invoice ORDER BY id
SELECT id, SUM(total) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS moving FROM invoice ORDER BY id
SELECT id, RANK() OVER (ORDER BY total DESC) AS r, LAG(total) OVER (ORDER BY id) AS b, NTILE(2) OVER (ORDER BY id) AS t FROM invoice ORDER BY id
SELECT DISTINCT ON (customer_id) customer_id, id FROM invoice ORDER BY customer_id, id
[ROLLUP] SELECT customer_id, SUM(total) AS t FROM invoice GROUP BY ROLLUP (customer_id) ORDER BY 1
SELECT c.name, SUM(i.total) AS revenue FROM customer c JOIN invoice i ON i.customer_id = c.id GROUP BY c.id ORDER BY revenue DESC
SELECT c.name, (SELECT MAX(total) FROM invoice i WHERE i.customer_id = c.id) AS best FROM customer c ORDER BY c.id
[LATERAL] SELECT c.name, x.total FROM customer c CROSS JOIN LATERAL (SELECT total FROM invoice i WHERE i.customer_id = c.id ORDER BY total DESC LIMIT 1) x ORDER BY c.id
SELECT l.product, SUM(s.weight) AS w FROM shipment s JOIN line l ON l.invoice_id = s.invoice_id AND l.line_no = s.line_no GROUP BY 1 ORDER BY 1
SELECT l.product, s.carrier FROM shipment s JOIN line l USING (invoice_id, line_no) ORDER BY 1, 2
SELECT a.name AS one, b.name AS two FROM customer a JOIN customer b ON a.country = b.country AND a.id < b.id ORDER BY 1, 2
[ANY] SELECT name FROM customer WHERE id = ANY(ARRAY[1, 2]) ORDER BY name
SELECT name FROM customer WHERE country IN (SELECT country FROM customer GROUP BY country HAVING COUNT(*) > 1) ORDER BY name
SELECT NAME FROM Customer WHERE COUNTRY = 'CH' ORDER BY 1
[GENERATE_SERIES] SELECT generate_series(1, 3) AS n FROM customer WHERE id = 1
[GENERATE_SERIES(CAST('2024-01-01' AS DA…] SELECT m::date AS m, COUNT(i.id) AS n FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL '1 month') m LEFT JOIN invoice i ON date_trunc('month', i.issued_on) = m GROUP BY m ORDER BY m
SELECT cast(date_part('year', issued_on) AS integer) AS y FROM invoice ORDER BY id
[OVERLAPS] SELECT (issued_on, issued_on) OVERLAPS (DATE '2024-01-01', DATE '2025-01-01') AS o FROM invoice ORDER BY id
SELECT name FROM customer WHERE name IS DISTINCT FROM 'Anna' ORDER BY name
[CORR] SELECT corr(total, pieces) AS c, regr_slope(total, pieces) AS s FROM invoice
[ARRAY_LENGTH] SELECT array_length(string_to_array(email, '@'), 1) AS n, (string_to_array(email, '@'))[2] AS d FROM customer ORDER BY id
[UNNEST] SELECT unnest(string_to_array('a,b', ',')) AS u FROM customer WHERE id = 1
SELECT justify_days(INTERVAL '40 days') AS j, date_bin('15 minutes', issued_at, TIMESTAMP '2001-01-01') AS b FROM invoice ORDER BY id
[AT TIME ZONE] SELECT issued_at AT TIME ZONE 'UTC' AS t FROM invoice ORDER BY id
SELECT issued_on::text LIKE '2024%' AS l FROM invoice ORDER BY id
SELECT (note IS NULL)::int AS n FROM invoice ORDER BY id
SELECT paid IS NOT TRUE AS p, paid IS UNKNOWN AS u FROM invoice ORDER BY id
[JSON_EXTRACT_SCALAR] SELECT '{"a": 1}'::json ->> 'a' AS a, '{"a": {"b": 2}}'::jsonb #>> '{a,b}' AS b FROM customer WHERE id = 1
[COLLATE] SELECT name COLLATE "C" AS n FROM customer ORDER BY name COLLATE "C"
[WITH RECURSIVE] WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n
[ENCODE] SELECT encode(sha256(name::bytea), 'hex') AS h FROM customer ORDER BY id
SELECT CASE WHEN extract(month FROM issued_on) IN (1, 2, 3) THEN 'Q1' ELSE 'later' END AS q, COUNT(*) AS n FROM invoice GROUP BY 1 ORDER BY 1
SELECT extract(year FROM age(DATE '2024-12-31', joined)) AS years FROM customer ORDER BY id
SELECT to_number(id || '2,345.6', '99G999D9') AS n FROM customer ORDER BY id
SELECT name FROM customer WHERE name LIKE 'A\nna' ORDER BY name
SELECT name FROM customer WHERE country IS NOT NULL AND id / 2 = 1 ORDER BY name
SELECT date(issued_at) AS d FROM invoice ORDER BY id
SELECT i.id, c.name, SUM(i.total) AS t FROM invoice i LEFT JOIN customer c ON c.id = i.customer_id GROUP BY i.id, c.id ORDER BY i.id
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
[FORMAT] SELECT format('%1$s%1$s', name) AS twice FROM customer
SELECT age(DATE '2024-12-31', joined) AS since, joined + INTERVAL '1 month 3 days' AS later FROM customer ORDER BY id
SELECT id, justify_days(issued_at - TIMESTAMP '2023-01-01') AS j FROM invoice ORDER BY id
