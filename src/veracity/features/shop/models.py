"""The nine tables of a shop for mountain sports. Class name = table name, JSON key = column name."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from veracity.wire import Wire

Money = Annotated[Decimal, Field(max_digits=18, decimal_places=2)]


class Supplier(Wire):
    """A company that the shop buys from."""

    supplier_id: int
    name: str
    country: str


class Category(Wire):
    """A kind of product."""

    category_id: int
    name: str


class Product(Wire):
    """What is sold; `list_price` is today's price."""

    product_id: int
    name: str
    category_id: int
    supplier_id: int
    list_price: Money
    stock: int
    launched_on: date


class Store(Wire):
    """A place where the shop sells."""

    store_id: int
    name: str
    city: str
    opened_on: date
    floor_area: int
    """Square metres."""


class Employee(Wire):
    """Somebody who works in a store; the head of the shop has no manager."""

    employee_id: int
    name: str
    role: Literal["head", "store manager", "sales", "workshop"]
    store_id: int
    manager_id: int | None = None
    hired_on: date
    salary: Money
    """Per year."""


class Customer(Wire):
    """Somebody who buys, or only has an account."""

    customer_id: int
    name: str
    kind: Literal["private", "company"]
    city: str
    country: str
    registered_on: date
    newsletter: bool
    email: str | None = None


class SalesOrder(Wire):
    """A sale; one on the internet has neither store nor employee."""

    order_id: int
    customer_id: int
    ordered_on: date
    shipped_on: date | None = None
    channel: Literal["store", "online"]
    store_id: int | None = None
    employee_id: int | None = None


class OrderLine(Wire):
    """A product of a sale, at the price of that day."""

    order_id: int
    line_number: int
    product_id: int
    quantity: int
    unit_price: Money


class ProductReturn(Wire):
    """Pieces of a sale that came back."""

    return_id: int
    order_id: int
    line_number: int
    returned_on: date
    quantity: int
    reason: Literal["too small", "too large", "damaged", "not as described", "changed mind"]
    refund: Money


TABLES: tuple[type[Wire], ...] = (
    Supplier, Category, Product, Store, Employee, Customer, SalesOrder, OrderLine, ProductReturn,
)  # fmt: skip
