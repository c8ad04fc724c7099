#!/bin/sh
# The main job, offline, on the shipped ledger: each command is shown, then run. Usage: demo.sh path/to/veracity
veracity=$1

show() { # show EXPECTED-EXIT-CODE ARGUMENTS...
    expected=$1
    shift
    printf '\n$ veracity'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9_=./-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$veracity" "$@" 2>&1
    code=$?
    if [ "$code" -ne "$expected" ]; then
        echo "demo: exit code $code, expected $expected" >&2
        exit 1
    fi
}

show 0 tables --lang de
show 0 call queryTable '{"tableName":"TrusteeDataAccountBalance","filters":[{"field":"periodYear","op":"=","value":2025},{"field":"periodMonth","op":"=","value":0},{"field":"accountNumber","op":"LIKE","value":"102%"}]}'
echo
echo "A balance cannot be added up over periods: refused, with what to do instead."
show 1 call aggregateTable '{"tableName":"TrusteeDataAccountBalance","aggregate":"SUM","field":"closingBalance"}'
echo
echo "A misspelt field, a date where Unix seconds are stored, a wildcard with =, a value that is not there, two currencies:"
show 1 call queryTable '{"tableName":"TrusteeDataAccountBalance","fields":["klosingBalance"]}'
show 1 call queryTable '{"tableName":"TrusteeDataJournalEntry","filters":[{"field":"bookingDate","op":">=","value":"2025-01-01"}]}'
show 1 call queryTable '{"tableName":"TrusteeDataAccount","filters":[{"field":"accountNumber","op":"=","value":"60%"}]}'
show 1 call queryTable '{"tableName":"TrusteeDataContact","filters":[{"field":"contactType","op":"=","value":"Kunde"}]}'
show 1 call aggregateTable '{"tableName":"TrusteeDataJournalEntry","aggregate":"SUM","field":"totalAmount"}'
show 0 call aggregateTable '{"tableName":"TrusteeDataJournalEntry","aggregate":"SUM","field":"totalAmount","groupBy":["currency"]}'
echo
echo "The same as JSON, for machines:"
show 1 call aggregateTable '{"tableName":"TrusteeDataAccountBalance","aggregate":"SUM","field":"closingBalance"}' --json
show 0 ontology check
