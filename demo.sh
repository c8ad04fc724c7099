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

echo "A question, answered from the shipped ledger: below the answer, every figure with the cells it comes from."
show 0 ask 'Was ist der Banksaldo per 31.12.2025?'
echo
echo "Something needed is not said: asked back, not guessed."
show 3 ask 'How much did we spend on rent?'
echo
echo "Close to something it knows, but not it: refused, not answered with the wrong figure."
show 4 ask 'How much did we spend on rent for the Zurich office in 2024?'
echo
echo "What keeps models from wrong figures: a balance cannot be added up over periods, nor two currencies; a value must be there."
show 1 call aggregateTable '{"tableName":"TrusteeDataAccountBalance","aggregate":"SUM","field":"closingBalance"}'
show 1 call aggregateTable '{"tableName":"TrusteeDataJournalEntry","aggregate":"SUM","field":"totalAmount"}'
show 1 call queryTable '{"tableName":"TrusteeDataContact","filters":[{"field":"contactType","op":"=","value":"Kunde"}]}'
show 0 call aggregateTable '{"tableName":"TrusteeDataJournalEntry","aggregate":"SUM","field":"totalAmount","groupBy":["currency"]}'
echo
echo "The same as JSON, for machines:"
show 1 call aggregateTable '{"tableName":"TrusteeDataAccountBalance","aggregate":"SUM","field":"closingBalance"}' --json
show 0 ontology check
echo
echo "Your turn: $veracity ask 'How did revenue change from 2023 to 2024?', $veracity chat, or $veracity serve for the browser"
