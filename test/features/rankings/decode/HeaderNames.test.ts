import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import { latinLanguages, otherLanguages } from "../../../../src/features/rankings/decode/HeaderNames.ts"
import { decode } from "../decoding.ts"

test("a header name means one column, in all languages", () => {
  const columns = new Map<string, string>()
  for (const { names } of [...latinLanguages, ...otherLanguages]) {
    for (const [column, all] of Object.entries(names)) {
      for (const name of all) {
        expect([name, columns.get(name) ?? column]).toEqual([name, column])
        columns.set(name, column)
      }
    }
  }
})

describe("tables of an export", () => {
  test.each([
    [
      "Danish",
      "queries",
      'Populæreste forespørgsler,Klik,Eksponeringer,Klikrate,Placering\nsko,45,1.095,"4,11 %","5,3"\n'
    ],
    ["Danish", "countries", 'Land,Klik,Visninger,CTR,Position\nDanmark,45,1.095,"4,11 %","5,3"\n'],
    ["Danish", "devices", 'Enhed,Klik,Eksponeringer,CTR,Placering\nMobil,45,1.095,"4,11 %","5,3"\n'],
    ["Norwegian", "queries", 'Vanligste søk,Klikk,Visninger,Klikkfrekvens,Posisjon\nsko,45,1095,"4,11 %","5,3"\n'],
    ["Norwegian", "pages", 'Mest populære sider,Klikk,Visninger,CTR,Posisjon\n/sko,45,1 095,"4,11 %","5,3"\n'],
    ["Norwegian", "devices", 'Enhet,Klikk,Visninger,CTR,Posisjon\nDatamaskin,45,1095,"4,11 %","5,3"\n'],
    [
      "Hungarian",
      "queries",
      'Leggyakoribb lekérdezések,Kattintások,Megjelenítések,CTR,Pozíció\ncipő,45,1095,"4,11%","5,3"\n'
    ],
    [
      "Hungarian",
      "pages",
      'Legnépszerűbb oldalak,Kattintások,Megjelenítések,Átkattintási arány,Átlagos pozíció\n/cipo,45,1 095,"4,11%","5,3"\n'
    ],
    ["Hungarian", "countries", 'Ország,Kattintások,Megjelenítések,CTR,Pozíció\nMagyarország,45,1095,"4,11%","5,3"\n'],
    [
      "Romanian",
      "queries",
      'Cele mai populare interogări,Clicuri,Afișări,CTR,Poziție\npantofi,45,1.095,"4,11%","5,3"\n'
    ],
    [
      "Romanian",
      "pages",
      'Pagini principale,Clicuri,Afişări,Rata de clic,Poziția medie\n/pantofi,45,1.095,"4,11%","5,3"\n'
    ],
    ["Romanian", "devices", 'Dispozitiv,Clicuri,Afișări,CTR,Poziție\nTabletă,45,1.095,"4,11%","5,3"\n'],
    ["Greek", "pages", 'Κορυφαίες σελίδες,Κλικ,Εμφανίσεις,CTR,Θέση\n/a,45,1.095,"4,11%","5,3"\n'],
    ["Italian", "queries", 'Query più frequenti,Clic,Impressioni,CTR,Posizione\nscarpe,45,1.095,"4,11%","5,3"\n'],
    ["Italian", "pages", 'Pagine più visitate,Clic,Impressioni,CTR,Posizione\n/scarpe,45,1.095,"4,11%","5,3"\n'],
    [
      "Dutch",
      "queries",
      'Meest uitgevoerde zoekopdrachten,Aantal klikken,Vertoningen,CTR,Positie\nschoen,45,1.095,"4,11%","5,3"\n'
    ],
    ["Czech", "pages", 'Nejvýznamnější stránky,Prokliky,Zobrazení,CTR,Pozice\n/boty,45,1 095,"4,11 %","5,3"\n'],
    ["Turkish", "pages", 'En çok görüntülenen sayfalar,Tıklamalar,Gösterimler,TO,Konum\n/a,45,1.095,"4,11%","5,3"\n'],
    ["Spanish", "pages", 'Páginas más visitadas,Clics,Impresiones,CTR,Posición\n/a,45,1.095,"4,11 %","5,3"\n'],
    ["Portuguese", "queries", 'Consultas mais populares,Cliques,Impressões,CTR,Posição\na,45,1.095,"4,11%","5,3"\n'],
    ["German", "queries", 'Top-Suchanfragen,Klicks,Impressionen,CTR,Position\nSchuhe,45,1.095,"4,11 %","5,3"\n'],
    ["Japanese", "queries", "検索クエリ,クリック数,表示回数,CTR,掲載順位\n靴,45,1095,4.11%,5.3\n"],
    ["Hindi", "queries", "टॉप क्वेरी,क्लिक,इंप्रेशन,CTR,स्थिति\nजूते,45,1095,4.11%,5.3\n"]
  ] as const)("in %s: %s", (_, kind, text) => {
    const { snapshots = [] } = Either.getOrThrow(decode("gsc-csv", text))
    expect(snapshots).toMatchObject([{ clicks: 45, impressions: 1095, sumTop: 5803.5, table: { kind } }])
    expect(snapshots[0]?.key).toMatch(
      { countries: /^(dnk|hun)$/, devices: /^(DESKTOP|MOBILE|TABLET)$/, pages: /^\//, queries: /./ }[kind]
    )
  })

  test.each([
    ["Dato,Klik,Eksponeringer,CTR,Placering"],
    ["Dátum,Kattintások,Megjelenítések,CTR,Pozíció"],
    ["Data,Clicuri,Afișări,CTR,Poziție"],
    ["Dato,Klikk,Visninger,CTR,Posisjon"]
  ])("are recognized by day: %s", (header) => {
    const { rows } = Either.getOrThrow(
      decode("gsc-csv", `${header}\n2026-10-01,45,1095,"4,11%","5,3"\n2026-10-02,,,,\n`)
    )
    expect(rows).toMatchObject([{ clicks: 45, date: "2026-10-01", table: { level: "property" } }])
  })
})
