# Each statement is run by SQLite itself and through the check: the rows must be the same, or it is refused for what stands in brackets.
SELECT name FROM customer WHERE strftime('%Y', joined) = '2024' ORDER BY name
SELECT strftime('%Y-%m', issued_on) AS month, COUNT(*) AS n FROM invoice GROUP BY month ORDER BY month
SELECT strftime('%Y', issued_on) AS year, SUM(total) AS total FROM invoice GROUP BY 1 ORDER BY 1
SELECT id, strftime('%s', issued_at) AS seconds FROM invoice ORDER BY id
SELECT id, strftime('%w', issued_on) AS weekday FROM invoice ORDER BY id
SELECT id, strftime('%H:%M', issued_at) AS clock FROM invoice ORDER BY id
SELECT id, CAST(strftime('%m', issued_on) AS INTEGER) AS month FROM invoice ORDER BY id
SELECT id, date(issued_at) AS day FROM invoice ORDER BY id
SELECT id, date(issued_on, '+1 month') AS due FROM invoice ORDER BY id
SELECT id, date(issued_on, 'start of month', '+1 month', '-1 day') AS month_end FROM invoice ORDER BY id
SELECT id FROM invoice WHERE date(issued_at) BETWEEN '2024-01-01' AND '2024-12-31' ORDER BY id
SELECT id FROM invoice WHERE issued_on >= date('2024-06-01', '-3 months') ORDER BY id
SELECT id, datetime(issued_at, '+90 minutes') AS later FROM invoice ORDER BY id
SELECT id, datetime(issued_at) AS at FROM invoice ORDER BY id
SELECT id, time(issued_at) AS clock FROM invoice ORDER BY id
SELECT id, julianday(issued_on) - julianday('2024-01-01') AS days FROM invoice ORDER BY id
SELECT AVG(julianday(issued_on) - julianday('2024-01-01')) AS days FROM invoice
SELECT id, unixepoch(issued_at) AS seconds FROM invoice ORDER BY id
SELECT datetime(1700000000 + id, 'unixepoch') AS at FROM customer ORDER BY id
SELECT id, pieces / 2 AS half FROM invoice ORDER BY id
SELECT id, pieces * 1.0 / 2 AS half FROM invoice ORDER BY id
SELECT id, pieces / 2.0 AS half FROM invoice ORDER BY id
SELECT id, pieces % 4 AS rest FROM invoice ORDER BY id
SELECT id, (id - 8) / 2 AS a, (id - 8) % 2 AS b FROM invoice ORDER BY id
SELECT name FROM customer WHERE name LIKE 'an%' ORDER BY name
[name] SELECT name FROM customer WHERE name LIKE '%ÄR%' ORDER BY name
SELECT name FROM customer WHERE name GLOB 'A*' ORDER BY name
SELECT id FROM customer WHERE country = "CH" ORDER BY id
[no such column] SELECT name, "no such column" AS said FROM customer ORDER BY id
SELECT name || ' (' || country || ')' AS label FROM customer ORDER BY id
SELECT id, 'n' || id AS label FROM customer ORDER BY id
SELECT id, note || total AS label FROM invoice ORDER BY id
SELECT substr(name, 1, 3) AS short FROM customer ORDER BY id
SELECT substr(name, -2) AS short FROM customer ORDER BY id
SELECT instr(email, '@') AS at FROM customer ORDER BY id
SELECT substr(email, instr(email, '@') + 1) AS domain, COUNT(*) AS n FROM customer GROUP BY domain ORDER BY domain
SELECT upper(name) AS u, lower(name) AS l, length(name) AS n FROM customer ORDER BY id
SELECT trim(note, 'x') AS t, ltrim(note) AS l, rtrim(note) AS r FROM invoice ORDER BY id
SELECT replace(email, 'example', 'sample') AS email FROM customer ORDER BY id
SELECT printf('%.1f', total) AS shown FROM invoice ORDER BY id
SELECT printf('%05d|%s', id, note) AS shown FROM invoice ORDER BY id
SELECT ifnull(note, 'none') AS note FROM invoice ORDER BY id
SELECT coalesce(note, name) AS said FROM invoice JOIN customer ON customer.id = invoice.customer_id ORDER BY invoice.id
SELECT iif(pieces > 3, 'many', 'few') AS size, COUNT(*) AS n FROM invoice GROUP BY size ORDER BY size
SELECT nullif(country, 'CH') AS abroad FROM customer ORDER BY id
SELECT group_concat(name) AS names FROM (SELECT name FROM customer ORDER BY name)
SELECT country, group_concat(name, '; ') AS names FROM customer GROUP BY country ORDER BY country
[TOTAL] SELECT country, total(id) AS t FROM customer GROUP BY country ORDER BY country
SELECT typeof(total) AS kind, typeof(note) AS other FROM invoice ORDER BY id
SELECT round(total, 1) AS r, abs(total - 100) AS a FROM invoice ORDER BY id
SELECT round(id + 0.5) AS a, round(-id - 0.5) AS b, round(id * 3.14159, 2) AS c FROM customer ORDER BY id
SELECT CAST(total AS INTEGER) AS whole FROM invoice ORDER BY id
SELECT CAST(id || '2abc' AS INTEGER) AS n, CAST(name AS REAL) AS r FROM customer ORDER BY id
SELECT CAST(id AS TEXT) || 'x' AS t FROM customer ORDER BY id
SELECT '10' + id AS a, '3' * '4' * id AS b FROM customer ORDER BY id
[id] SELECT id < name AS a, id = CAST(id AS TEXT) AS b FROM customer ORDER BY id
[pieces] SELECT id FROM invoice WHERE pieces > '3' ORDER BY id
SELECT max(pieces, 4) AS m, min(pieces, 4) AS l FROM invoice ORDER BY id
SELECT MAX(issued_on) AS last, MIN(issued_on) AS first FROM invoice
SELECT name, note FROM customer LEFT JOIN invoice ON invoice.customer_id = customer.id ORDER BY name, invoice.id
SELECT id FROM invoice ORDER BY note, id
SELECT id FROM invoice ORDER BY note DESC NULLS LAST, id
SELECT id FROM invoice LIMIT 2 OFFSET 1
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY issued_on) AS nth FROM invoice ORDER BY id
SELECT id, SUM(total) OVER (ORDER BY id) AS running FROM invoice ORDER BY id
SELECT id, lag(total) OVER (ORDER BY id) AS before FROM invoice ORDER BY id
SELECT id, note IS NULL AS missing, paid IS TRUE AS paid FROM invoice ORDER BY id
SELECT COUNT(*) FROM invoice WHERE paid
SELECT COUNT(*) FROM invoice WHERE paid = 1
[paid] SELECT SUM(paid) AS paid FROM invoice
SELECT SUM(CASE WHEN paid = 1 THEN total ELSE 0 END) AS paid FROM invoice
SELECT AVG(pieces) AS mean, SUM(pieces) / COUNT(*) AS whole FROM invoice
SELECT customer.name, SUM(invoice.total) AS revenue FROM customer JOIN invoice ON invoice.customer_id = customer.id GROUP BY customer.id ORDER BY revenue DESC
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM invoice WHERE total > 100) ORDER BY name
SELECT name FROM customer WHERE NOT EXISTS (SELECT 1 FROM invoice WHERE customer_id = customer.id) ORDER BY name
SELECT country FROM customer EXCEPT SELECT 'CH' ORDER BY 1
SELECT name FROM customer WHERE country IS NOT 'CH' ORDER BY name
SELECT name FROM customer WHERE country == 'CH' AND id <> 2 ORDER BY name
SELECT [name] FROM [customer] WHERE `country` = 'CH' ORDER BY 1
[COLLATE] SELECT name FROM customer ORDER BY name COLLATE NOCASE
[COLLATE] SELECT name FROM customer WHERE name = 'anna' COLLATE NOCASE
SELECT unicode(name) AS code FROM customer ORDER BY id
[HEX] SELECT hex(name) AS hexed FROM customer ORDER BY id
[CHR] SELECT char(65, 66) || name AS letters FROM customer ORDER BY id
[QUOTE] SELECT quote(note) AS q FROM invoice ORDER BY id
SELECT sign(total - 100) AS s FROM invoice ORDER BY id
SELECT ceil(total) AS c, floor(total) AS f, power(pieces, 2) AS p, sqrt(pieces) AS s FROM invoice ORDER BY id
SELECT log(id) AS a, ln(id) AS b, log(2, id) AS c, log10(id) AS d, log2(id) AS e FROM customer ORDER BY id
SELECT mod(pieces, 4) AS m FROM invoice ORDER BY id
[JSON_EXTRACT] SELECT json_extract(name, '$.a') AS a FROM customer ORDER BY id
SELECT id FROM customer WHERE joined < CURRENT_DATE ORDER BY id
SELECT id FROM customer WHERE joined < date('now', '-1 day') ORDER BY id
SELECT name FROM customer WHERE country IN ('CH', 'DE') AND joined < '2024' ORDER BY name
SELECT id FROM invoice WHERE issued_on LIKE '2024%' ORDER BY id
SELECT id FROM invoice WHERE substr(issued_on, 1, 4) = '2024' ORDER BY id
SELECT c.name, COUNT(DISTINCT i.id) AS invoices FROM customer c LEFT JOIN invoice i ON i.customer_id = c.id GROUP BY c.id, c.name ORDER BY c.id
SELECT i.id, l.product FROM invoice i JOIN line l ON l.invoice_id = i.id AND l.total = i.total ORDER BY 1, 2
SELECT l.product, s.carrier, COUNT(*) AS n FROM shipment s JOIN line l ON l.invoice_id = s.invoice_id AND l.line_no = s.line_no GROUP BY 1, 2 ORDER BY 1, 2
SELECT a.name, b.name FROM customer a JOIN customer b ON a.country = b.country AND a.id < b.id ORDER BY 1, 2
SELECT CAST(strftime('%Y', issued_on) AS INTEGER) - 2000 AS y FROM invoice WHERE CAST(strftime('%m', issued_on) AS INTEGER) > 3 ORDER BY id
SELECT name FROM customer WHERE julianday('2024-12-31') - julianday(joined) > 365 ORDER BY name
SELECT id FROM invoice WHERE strftime('%Y', 'now') - strftime('%Y', issued_on) >= 0 ORDER BY id
SELECT length(total) AS n FROM invoice ORDER BY id
SELECT name, id IS 1 AS i, id = 1 OR false AS f FROM customer ORDER BY id
[BITWISEAND] SELECT id & 3 AS a FROM customer ORDER BY id
SELECT id / 0 AS none, id % 0 AS rest FROM customer ORDER BY id
SELECT id / 4 AS a, id / 4.0 AS b, CAST(id AS REAL) / 4 AS c, CAST(id AS DECIMAL(10, 2)) / 2 AS d FROM customer ORDER BY id
SELECT CASE country WHEN 'CH' THEN 'home' ELSE 'abroad' END AS place, COUNT(*) AS n FROM customer GROUP BY place ORDER BY place
SELECT name FROM customer WHERE name LIKE 'A_n%' ESCAPE '!' ORDER BY name
[WITH RECURSIVE] WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n
WITH per AS (SELECT customer_id, SUM(total) AS t FROM invoice GROUP BY customer_id) SELECT name, t FROM customer JOIN per ON per.customer_id = customer.id ORDER BY t
[name] SELECT name, MAX(id) FROM customer
[name] SELECT country, name, MIN(joined) AS first FROM customer GROUP BY country ORDER BY country
SELECT DISTINCT country FROM customer ORDER BY 1
SELECT COUNT(*) FILTER (WHERE country = 'CH') AS swiss FROM customer
SELECT * FROM line ORDER BY 1, 2
[rowid] SELECT rowid, name FROM customer ORDER BY rowid
[-] SELECT id, issued_on - '2024-01-01' AS days FROM invoice ORDER BY id
[CAST] SELECT id, CAST(issued_at AS DATE) AS day FROM invoice ORDER BY id
[STRFTIME] SELECT id, strftime(issued_on, '%Y') AS year FROM invoice ORDER BY id
SELECT id FROM invoice WHERE issued_at <= '2024-01-31' ORDER BY id
SELECT id FROM invoice WHERE issued_at BETWEEN '2023-12-31' AND '2024-06-30' ORDER BY id
[issued_at] SELECT id FROM invoice WHERE issued_at = '2023-12-31' ORDER BY id
SELECT id, CAST(total AS DECIMAL(10, 1)) AS t FROM invoice ORDER BY id
SELECT id, total / 3 AS third FROM invoice ORDER BY id
SELECT name FROM customer WHERE name NOT LIKE 'AN%' ORDER BY name
SELECT name FROM customer WHERE country IN ("CH", "DE") ORDER BY name
SELECT strftime("%Y", joined) AS y FROM customer ORDER BY id
SELECT name FROM customer WHERE "CH" = country ORDER BY id
SELECT substring(name, 2, 2) AS s FROM customer ORDER BY id
SELECT i.id, c.name, SUM(i.total) AS t FROM invoice i LEFT JOIN customer c ON c.id = i.customer_id GROUP BY i.id ORDER BY i.id
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
[PRINTF] SELECT printf('%1000d', id) AS wide FROM customer
[PRINTF] SELECT printf(name, id) AS free FROM customer
[EXTRACT] SELECT EXTRACT(YEAR FROM joined) AS a, strftime('%Y', joined) AS b FROM customer
