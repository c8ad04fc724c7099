# language: en
@auth
Feature: Login
  As a user
  I want to log in
  so that I see my data.

  Background:
    Given a registered user

  @REQ-7 @smoke
  Scenario: Right password
    Given the login page
    When I type the right password
    Then I see my data

  Scenario Outline: Wrong password
    When I type "<password>"
    """
    Then this is a doc string
    """
    Then I see an error

    Examples:
      | password |
      | 1234     |

  Rule: An account must be locked after 3 failures

    Example: Third failure
      Given two failures
      When I fail again
      Then my account is locked
