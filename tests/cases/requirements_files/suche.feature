# language: de
Funktionalität: Suche
  Hier wird nur erklärt.

  Szenario: Treffer
    Angenommen ein Artikel "Hammer"
    Wenn ich nach "Hammer" suche
    Dann sehe ich 1 Treffer
