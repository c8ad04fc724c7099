CREATE TABLE hotel (id INTEGER PRIMARY KEY, name VARCHAR, city VARCHAR, stars INTEGER, rooms INTEGER);
CREATE TABLE guest (id INTEGER PRIMARY KEY, name VARCHAR, city VARCHAR, tier VARCHAR);
CREATE TABLE stay (id INTEGER PRIMARY KEY, hotel_id INTEGER, guest_id INTEGER, arrived DATE, nights INTEGER, status VARCHAR,
    currency VARCHAR, rate DECIMAL(12,2), total DECIMAL(12,2));
CREATE TABLE extra (id INTEGER PRIMARY KEY, stay_id INTEGER, kind VARCHAR, currency VARCHAR, amount DECIMAL(12,2));
CREATE TABLE review (id INTEGER PRIMARY KEY, stay_id INTEGER, score INTEGER, remark VARCHAR);
CREATE TABLE month_end (hotel_id INTEGER, day DATE, staff INTEGER, currency VARCHAR, deposits DECIMAL(12,2));
INSERT INTO hotel VALUES (1, 'Bellevue', 'Bern', 4, 80), (2, 'Drei Könige', 'Basel', 5, 101), (3, 'Post', 'Chur', 3, 24);
INSERT INTO guest VALUES (1, 'Anton Keller AG', 'Bern', 'gold'), (2, 'Rossi SA', 'Lugano', 'silver'), (3, 'Wang Trading', 'Zug', 'gold'),
    (4, 'Meier & Co', 'Bern', 'basic');
INSERT INTO stay VALUES (1, 1, 1, '2024-11-03', 2, 'paid', 'CHF', 210.00, 420.00), (2, 1, 2, '2025-01-10', 5, 'paid', 'EUR', 190.00, 950.00),
    (3, 2, 3, '2025-01-22', 1, 'open', 'CHF', 480.00, 480.00), (4, 2, 1, '2025-02-14', 3, 'cancelled', 'CHF', 450.00, 1350.00),
    (5, 3, 4, '2025-02-20', 7, 'paid', 'CHF', 95.00, 665.00), (6, 1, 3, '2025-03-01', 2, 'open', 'USD', 230.00, 460.00),
    (7, 2, 2, '2025-03-15', 4, 'paid', 'EUR', 420.00, 1680.00);
INSERT INTO extra VALUES (1, 1, 'minibar', 'CHF', 18.50), (2, 1, 'parking', 'CHF', 40.00), (3, 2, 'spa', 'EUR', 75.00), (4, 3, 'minibar', 'CHF', 12.00),
    (5, 4, 'spa', 'EUR', 120.00), (6, 5, 'parking', 'CHF', 70.00), (7, 7, 'minibar', 'CHF', 33.00), (8, 7, 'spa', 'EUR', 150.00);
INSERT INTO review VALUES (1, 1, 5, 'quiet'), (2, 2, 4, NULL), (3, 5, 2, 'cold room'), (4, 7, 5, 'great spa'), (5, 7, 3, 'loud street');
INSERT INTO month_end VALUES (1, '2025-01-31', 41, 'CHF', 12000.00), (1, '2025-02-28', 43, 'CHF', 12500.00), (2, '2025-01-31', 88, 'CHF', 30100.00),
    (2, '2025-02-28', 85, 'EUR', 29000.00), (3, '2025-01-31', 9, 'CHF', 800.00), (3, '2025-02-28', 9, 'CHF', 950.00);
