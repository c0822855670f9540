import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import { decode, facts, refusal, rowsOf } from "../decoding.ts"

const shoes = { date: "2026-10-01", query: "shoes", page: "/shoes", impressions: 1095, clicks: 45, sumTop: 5847.3 }

const table = (header: string, ...lines: ReadonlyArray<string>) => [header, ...lines, ""].join("\n")

describe("a table by date, query and page", () => {
  test.each([
    [
      "Date,Query,Page,Clicks,Impressions,CTR,Position",
      "2026-10-01,shoes,https://example.com/shoes,45,1095,4.11%,5.34"
    ],
    [
      "date,query,page,clicks,impressions,ctr,position",
      '2026-10-01,shoes,https://example.com/shoes,45,"1,095",0.0411,5.34'
    ],
    ["Page;Position;Query;Impressions;Clicks;Date", "https://example.com/shoes;5.34;shoes;1095;45;2026-10-01"],
    [
      "Date\tTop queries\tTop pages\tClicks\tImpressions\tPosition",
      "2026-10-01\tshoes\thttps://example.com/shoes\t45\t1095\t5.34"
    ],
    [
      "Datum,Häufigste Suchanfragen,Häufigste Seiten,Klicks,Impressionen,CTR,Position",
      '2026-10-01,shoes,https://example.com/shoes,45,"1.095","4,11 %","5,34"'
    ],
    [
      "Datum;Suchanfragen;Die häufigsten Seiten;Klicks;Impressionen;Klickrate;Durchschnittliche Position",
      "2026-10-01;shoes;https://example.com/shoes;45;1.095;4,11 %;5,34"
    ],
    [
      "Date,Requêtes les plus fréquentes,Pages les plus populaires,Clics,Impressions,CTR,Position",
      '2026-10-01,shoes,https://example.com/shoes,45,1 095,"4,11 %","5,34"'
    ],
    [
      "Fecha,Consultas principales,Páginas principales,Clics,Impresiones,CTR,Posición",
      '2026-10-01,shoes,https://example.com/shoes,45,1.095,"4,11 %","5,34"'
    ],
    [
      "Data,Query principali,Pagine principali,Clic,Impressioni,CTR,Posizione",
      '2026-10-01,shoes,https://example.com/shoes,45,1.095,"4,11%","5,34"'
    ],
    [
      "Data,Consultas principais,Páginas principais,Cliques,Impressões,CTR,Posição",
      '2026-10-01,shoes,https://example.com/shoes,45,1.095,"4,11%","5,34"'
    ],
    [
      "日付,上位のクエリ,上位のページ,クリック数,表示回数,CTR,掲載順位",
      '2026-10-01,shoes,https://example.com/shoes,45,"1,095",4.11%,5.34'
    ],
    [
      "Datum;Nejčastější dotazy;Nejčastější stránky;Kliknutí;Zobrazení;CTR;Pozice",
      "2026-10-01;shoes;https://example.com/shoes;45;1 095;4,11 %;5,34"
    ],
    [
      "Datum;Populairste zoekopdrachten;Populairste pagina's;Klikken;Vertoningen;CTR;Positie",
      "2026-10-01;shoes;https://example.com/shoes;45;1.095;4,11%;5,34"
    ],
    [
      "Data;Najpopularniejsze zapytania;Najpopularniejsze strony;Kliknięcia;Wyświetlenia;CTR;Pozycja",
      "2026-10-01;shoes;https://example.com/shoes;45;1 095;4,11%;5,34"
    ],
    [
      "Дата,Популярные запросы,Самые популярные страницы,Клики,Показы,CTR,Позиция",
      '2026-10-01,shoes,https://example.com/shoes,45,1095,"4,11%","5,34"'
    ],
    [
      "Tarih;En popüler sorgular;En popüler sayfalar;Tıklamalar;Gösterimler;TO;Konum",
      "2026-10-01;shoes;https://example.com/shoes;45;1095;%4,11;5,34"
    ],
    [
      "日期,熱門查詢項目,熱門網頁,點擊,曝光,點閱率,排名",
      "2026-10-01,shoes,https://example.com/shoes,45,1095,4.11%,5.34"
    ],
    [
      "Ngày,Truy vấn,Trang,Lượt nhấp,Lượt hiển thị,CTR,Vị trí",
      '2026-10-01,shoes,https://example.com/shoes,45,1.095,"4,11%","5,34"'
    ],
    [
      "날짜,인기 검색어,인기 페이지,클릭수,노출,CTR,게재 순위",
      "2026-10-01,shoes,https://example.com/shoes,45,1095,4.11%,5.34"
    ],
    [
      "日期,热门查询,热门网页,点击次数,展示,点击率,排名",
      "2026-10-01,shoes,https://example.com/shoes,45,1095,4.11%,5.34"
    ],
    [
      "Tanggal,Kueri teratas,Halaman teratas,Klik,Tayangan,CTR,Posisi",
      '2026-10-01,shoes,https://example.com/shoes,45,1.095,"4,11%","5,34"'
    ],
    [
      "Дата,Найпопулярніші запити,Найпопулярніші сторінки,Звертання,Покази,CTR,Позиція",
      '2026-10-01,shoes,https://example.com/shoes,45,1095,"4,11%","5,34"'
    ],
    [
      "תאריך,השאילתות המובילות,הדפים המובילים,קליקים,חשיפות,שיעור קליקים,מיקום",
      "2026-10-01,shoes,https://example.com/shoes,45,1095,\u200e4.11%,5.34"
    ]
  ])("%s", (header, line) => {
    expect(rowsOf("gsc-csv", table(header, line)).map(facts)).toEqual([shoes])
  })

  test("may have a decomposed spelling of its header", () => {
    const header = "Datum,Häufigste Suchanfragen,Häufigste Seiten,Klicks,Impressionen,CTR,Position".normalize("NFD")
    expect(rowsOf("gsc-csv", table(header, "2026-10-01,a,/a,1,2,50%,1"))).toHaveLength(1)
  })

  test("may have a byte order mark, CRLF, quotes, commas and line ends in a query", () => {
    const text = '\uFEFFDate,Query,Page,Clicks,Impressions,Position\r\n2026-10-01,"a, ""b""\nc",/a,0,2,1\r\n'
    expect(rowsOf("gsc-csv", text).map(({ query }) => query)).toEqual(['a, "b"\nc'])
  })

  test("may have lines that end with CR alone", () => {
    const text =
      'Date,Query,Full page URL,Clicks,Impressions,Position\r2026-10-01,"a\rb",/a,0,2,1\r2026-10-02,c,/c,0,2,1'
    for (const piece of [1, 7, 65536]) {
      expect(rowsOf("gsc-csv", text, {}, piece).map(({ line, page, query }) => [line, page, query])).toEqual([
        [2, "/a", "a\nb"],
        [4, "/c", "c"]
      ])
    }
  })

  test("may be UTF-16 with a byte order mark", () => {
    const text = "\uFEFFDate\tQuery\tPage\tClicks\tImpressions\tPosition\n2026-10-01\tüber\t/a\t0\t2\t1\n"
    const bytes = new Uint8Array(new Uint16Array([...text].map((letter) => letter.charCodeAt(0))).buffer)
    expect(rowsOf("gsc-csv", bytes, {}, 3).map(({ query }) => query)).toEqual(["über"])
  })

  test("may name its delimiter in a line before the header", () => {
    const text = "sep=;\nDate;Query;Page;Clicks;Impressions;Position\n2026-10-01;a;/a;0;2;1\n"
    expect(rowsOf("gsc-csv", text)).toHaveLength(1)
  })

  test("may have no dates if a date is given", () => {
    const text = table(
      "Query,Page,Clicks,Impressions,CTR,Position",
      "python,https://example.com/p,150,2000,0.0750,3.20"
    )
    expect(rowsOf("gsc-csv", text, { date: "2026-10-02" }).map(facts)).toEqual([
      { date: "2026-10-02", query: "python", page: "/p", impressions: 2000, clicks: 150, sumTop: 6400 }
    ])
  })

  test("may have counts with decimals, as spreadsheets write them", () => {
    const text = table("Date,Query,Page,Clicks,Impressions,Position", "2026-10-01,a,/a,12.0,1234.00,2.5")
    expect(rowsOf("gsc-csv", text).map(facts)).toMatchObject([{ clicks: 12, impressions: 1234, sumTop: 3085 }])
  })

  test("may have rows without impressions or query, which are skipped and counted", () => {
    const text = table("Date,Query,Page,Clicks,Impressions,Position", "2026-10-01,a,/a,0,0,0", "2026-10-01,,/a,1,5,2")
    const batch = Either.getOrThrow(decode("gsc-csv", text))
    expect(batch.rows).toEqual([])
    expect(batch.dropped).toMatchObject({ noImpressions: 1, anonymised: 1 })
  })

  test("may have rows per country or device, which are added up and no repeats", () => {
    const text = table(
      "Date,Query,Page,Country,Clicks,Impressions,Position",
      "2026-10-01,a,/a,deu,1,5,2",
      "2026-10-01,a,/a,fra,1,5,2"
    )
    expect(rowsOf("gsc-csv", text).map(({ country }) => country)).toEqual(["deu", "fra"])
  })

  test.each([
    ["20261001"],
    ["2026-10-01T00:00:00Z"],
    ["2026-10-01T23:30:00-07:00"],
    ["2026-10-01 00:00:00 UTC"],
    ["2026-10-01 00:00:00+00"],
    ["2026/10/01"],
    ['"Oct 1, 2026"'],
    ['"October 1, 2026"']
  ])("may write the day %s", (date) => {
    const text = table("Date,Query,Page,Clicks,Impressions,Position", `${date},a,/a,1,5,2`)
    expect(rowsOf("gsc-csv", text).map(({ date }) => date)).toEqual(["2026-10-01"])
  })

  test("must have the given day in all rows", () => {
    const text = table("Date,Query,Page,Clicks,Impressions,Position", "2026-10-01,a,/a,1,5,2", "2026-10-02,a,/a,1,5,2")
    expect(refusal("gsc-csv", text, { date: "2026-10-01" })).toBe(
      "file:3: 2026-10-02 is another day than 2026-10-01, which the table must be of"
    )
  })

  test("has fewer dimensions if it counts the property by day, country or device, or pages", () => {
    const of = (header: string, cell: string) =>
      rowsOf("gsc-csv", table(`${header},Clicks,Impressions,CTR,Position`, `${cell},1,5,20%,2`), {
        date: "2026-10-01"
      }).map(({ country, device, page, table }) => [table.level, page, country, device])
    expect(of("Date", "2026-10-01")).toEqual([["property", null, null, null]])
    expect(of("Country", "Germany")).toEqual([["property", null, "deu", null]])
    expect(of("Länder", "Vereinigte Staaten")).toEqual([["property", null, "usa", null]])
    expect(of("국가", "일본")).toEqual([["property", null, "jpn", null]])
    expect(of("Device", "Mobile")).toEqual([["property", null, null, "MOBILE"]])
    expect(of("デバイス", "パソコン")).toEqual([["property", null, null, "DESKTOP"]])
    expect(of("Top pages", "https://example.com/a")).toEqual([["pages", "/a", null, null]])
  })
})

describe("tables of pages in the languages of Search Console", () => {
  test.each([
    ["أهم الصفحات,النقرات,عدد الظهور,نسبة النقر إلى الظهور,موضع", "/shoes,45,1095,4.11%,5.34"],
    ["הדפים המובילים,קליקים,הופעות,שיעור קליקים,מקום", "/shoes,45,1095,\u200e4.11%,5.34"],
    ["\u200fהדפים המובילים,קליקים,חשיפות,CTR,מיקום\u200e", "/shoes,45,1095,4.11%,5.34"],
    ["Suosituimmat sivut;Napsautukset;Näyttökerrat;Napsautussuhde;Sijainti", "/shoes;45;1 095;4,11 %;5,34"],
    ["Страници,Кликвания,Импресии,CTR,Позиция", '/shoes,45,1095,"4,11%","5,34"'],
    ["Halaman teratas,Klik,Tayangan,CTR,Posisi", '/shoes,45,1.095,"4,11%","5,34"']
  ])("%s", (header, line) => {
    const rows = rowsOf("gsc-csv", table(header, line), { date: "2026-10-01" })
    expect(rows.map((row) => [row.table.level, facts(row)])).toEqual([["pages", { ...shoes, query: null }]])
  })

  test.each([
    ["ข้อความค้นหายอดนิยม,การคลิก,การแสดงผล,CTR,อันดับ"],
    ["Ερώτημα,Κλικ,Εμφανίσεις,CTR,Θέση"],
    ["أهم طلبات البحث,النقرات,عدد الظهور,نسبة النقر إلى الظهور,موضع"]
  ])("%s is a list of queries", (header) => {
    const { snapshots } = Either.getOrThrow(decode("gsc-csv", table(header, "shoes,45,1095,4.11%,5.34")))
    expect(snapshots).toMatchObject([{ key: "shoes", clicks: 45, impressions: 1095, table: { kind: "queries" } }])
  })

  test("the days of a Slovak chart are recognized", () => {
    const text = table("Date,Kliknutia,Zobrazenia,MP,Pozícia", '2026-10-01,45,1095,"4,11 %","5,34"')
    expect(rowsOf("gsc-csv", text).map(facts)).toEqual([{ ...shoes, page: null, query: null }])
  })
})

describe("an invalid file is refused with its name, line and reason:", () => {
  const header = "Date,Query,Page,Clicks,Impressions,CTR,Position"
  const good = "2026-10-01,a,https://example.com/a,1,10,10%,2.5"

  test.each([
    ["2026-10-01,a,https://example.com/a,11,10,10%,2.5", "11 clicks are more than 10 impressions"],
    ["2026-02-30,a,https://example.com/a,1,10,10%,2.5", '"2026-02-30" is not a date'],
    ["01/10/2026,a,https://example.com/a,1,10,10%,2.5", '"01/10/2026" is ambiguous'],
    ["1999-12-31,a,https://example.com/a,1,10,10%,2.5", "before 2000-01-01"],
    ["2026-10-01,a,https://other.org/a,1,10,10%,2.5", "not on the site's host example.com"],
    ["2026-10-01,a,not a page,1,10,10%,2.5", "not the URL of a page"],
    ["2026-10-01,a,https://example.com/a,-1,10,10%,2.5", 'clicks "-1"'],
    ["2026-10-01,a,https://example.com/a,1,-10,10%,2.5", 'impressions "-10"'],
    ["2026-10-01,a,https://example.com/a,1,1.5,10%,2.5", 'impressions "1.5"'],
    ["2026-10-01,a,https://example.com/a,1,1.095,10%,2.5", 'impressions "1.095"'],
    ["2026-10-01,a,https://example.com/a,NaN,10,10%,2.5", 'clicks "NaN"'],
    ["2026-10-01,a,https://example.com/a,,10,10%,2.5", 'clicks ""'],
    ["2026-10-01,a,https://example.com/a,1,10,10%,NaN", 'position "NaN"'],
    ["2026-10-01,a,https://example.com/a,1,10,10%,0.5", 'position "0.5"'],
    ["2026-10-01,a,https://example.com/a,1,10,10%,-2", 'position "-2"'],
    ["2026-10-01,a,https://example.com/a,1,10,10%,Infinity", 'position "Infinity"'],
    ["2026-10-01,a,https://example.com/a,1,99999999999999999999,10%,1", "impressions must be a whole number"],
    ["2026-10-01,a,https://example.com/a,1,10,10%", "6 cells where the header has 7"],
    ["2026-10-01,a,https://example.com/a,1,10,10%,2.5,x", "8 cells where the header has 7"],
    ["2026-10-01,a\0b,https://example.com/a,1,10,10%,2.5", "NUL"],
    [`2026-10-01,${"x".repeat(5000)},https://example.com/a,1,10,10%,2.5`, "longer than 4096"]
  ])("%#: a bad row", (line, reason) => {
    const message = refusal("gsc-csv", table(header, good, line, good))
    expect(message).toStartWith("file:3: ")
    expect(message).toContain(reason)
  })

  test("a day after the last day with data", () => {
    expect(refusal("gsc-csv", table(header, good), { notAfter: "2026-09-30" })).toContain(
      "file:2: 2026-10-01 lies after"
    )
  })

  test.each([
    ["Date,Query,Clicks,Impressions,CTR,Position", "this export has no page column"],
    ["Top pages,Country,Clicks,Impressions,CTR,Position", "no column for date (for a table"],
    ["Top pages,Clicks,Impressions,CTR", "no column for position"],
    [
      "Tundmatu,Clicks,Impressions,CTR,Position",
      'no column is known as the date, query, page, country or device; the header is "Tundmatu", "Clicks"'
    ],
    ["Search Appearance,Clicks,Impressions,CTR,Position", "this table lists search appearances"],
    [
      "Top pages,Last 28 days Clicks,Previous 28 days Clicks,Last 28 days Impressions,Previous 28 days Impressions,Last 28 days CTR,Previous 28 days CTR,Last 28 days Position,Previous 28 days Position",
      "compares two periods"
    ],
    ["Query,Page,Clicks,Impressions,CTR,Position", "no column for date (for a table"],
    ["Date,Query,Page,Clicks,CTR,Position", "no column for impressions"],
    ["Date,Query,Page,Url,Clicks,Impressions,Position", "two columns contain the page"],
    ["Gadget,Value", "no column for date, clicks, impressions, position, query, page"]
  ])("the header %s", (line, reason) => {
    const message = refusal("gsc-csv", table(line))
    expect(message).toStartWith("file:1: ")
    expect(message).toContain(reason)
  })

  test("an empty file", () => {
    expect(refusal("gsc-csv", "")).toBe("file: the file is empty: it has no header line")
  })

  test("bytes that are no text", () => {
    expect(refusal("gsc-csv", new Uint8Array([68, 97, 116, 101, 10, 0xff, 0xff, 10]))).toContain("not utf-8 text")
  })

  test("a query cut off inside a letter at the end of the file", () => {
    const bytes = new TextEncoder().encode(table(header, "2026-10-01,ü")).subarray(0, -2)
    expect(refusal("gsc-csv", bytes)).toContain("not utf-8 text")
  })
})

describe("columns beyond the known ones", () => {
  test.each([
    ["Search Appearance", "AMP"],
    ["Land/region", "Deutschland"],
    ["Category", "shoes"],
    ["Position change", "-1"]
  ])("are refused by their name, because rows may differ in them only: %s", (name, cell) => {
    const header = `Date,Query,Page,${name},Clicks,Impressions,Position`
    expect(refusal("gsc-csv", table(header, `2026-10-01,a,/a,${cell},1,5,2`))).toStartWith(
      `file:1: the column "${name}" is not known: rows that differ only there would count as one. Remove the column,`
    )
  })

  test("are all named in the error", () => {
    expect(refusal("gsc-csv", table("Date,Clicks,Impressions,Position,Brand,Team"))).toContain(
      'the columns "Brand", "Team" are not known'
    )
  })

  test("with search types other than web are skipped and counted, and unknown types are refused", () => {
    const of = (...types: ReadonlyArray<string>) =>
      decode(
        "gsc-csv",
        table(
          "Date,Page,Search Type,Clicks,Impressions,Position",
          ...types.map((type) => `2026-10-01,/a,${type},1,5,2`)
        )
      )
    const { dropped, rows } = Either.getOrThrow(
      of("web", "WEB", "image", "Video", "news", "discover", "googleNews", "")
    )
    expect([rows.length, dropped.otherSearchType]).toEqual([3, 5])
    expect(Either.mapLeft(of("web", "product"), ({ message }) => message)).toEqual(
      Either.left('file:3: the search type "product" is not known')
    )
  })

  test("with a property skip rows of other properties, and refuse two properties that contain the site", () => {
    const of = (...sites: ReadonlyArray<string>) =>
      decode(
        "gsc-csv",
        table("Site,Date,Clicks,Impressions,Position", ...sites.map((site) => `${site},2026-10-01,1,5,2`))
      )
    const own = ["sc-domain:example.com", "https://www.example.com/", "example.com"]
    for (const site of own) {
      const { dropped, rows } = Either.getOrThrow(of(site, "sc-domain:other.org", site))
      expect([rows.length, dropped.otherHost]).toEqual([2, 1])
    }
    expect(Either.mapLeft(of(...own), ({ message }) => message)).toEqual(
      Either.left(
        "file:3: the table has rows of two Search Console properties, sc-domain:example.com and https://www.example.com/. Import one of them"
      )
    )
  })

  test("with row numbers, as from pandas and spreadsheets, are ignored, and with other text are refused", () => {
    for (const name of ["", "Unnamed: 0", "index", "#"]) {
      const of = (cell: string) => table(`${name},Date,Page,Clicks,Impressions,Position`, `${cell},2026-10-01,/a,1,5,2`)
      expect(rowsOf("gsc-csv", of("0"))).toHaveLength(1)
      expect(refusal("gsc-csv", of("AMP"))).toContain('file:2: "AMP" stands where only the number of a row may')
    }
  })

  test("with another form of the CTR are ignored", () => {
    const text = table("Date,Clicks,Impressions,CTR,CTR (%),点击率(%),Position", "2026-10-01,1,5,0.2,20,20.00,2")
    expect(rowsOf("gsc-csv", text)).toHaveLength(1)
  })

  test("with hours may stand beside the day or replace it, and must contain hours", () => {
    const of = (header: string, ...cells: ReadonlyArray<string>) =>
      rowsOf("gsc-csv", table(`${header},Clicks,Impressions,Position`, ...cells.map((cell) => `${cell},1,5,2`))).map(
        ({ date, seconds }) => [date, seconds]
      )
    expect(of("Date,Hour", "2026-10-01,0", "2026-10-01,23", "2026-10-01,07:00")).toEqual([
      ["2026-10-01", 0],
      ["2026-10-01", 82_800],
      ["2026-10-01", 25_200]
    ])
    expect(of("Hour", "2026-11-01T01:00:00-07:00", "2026-11-01T01:00:00-08:00")).toEqual([
      ["2026-11-01", 3600],
      ["2026-11-01", 7200]
    ])
    expect(refusal("gsc-csv", table("Date,Hour,Clicks,Impressions,Position", "2026-10-01,24,1,5,2"))).toContain(
      "file:2: "
    )
  })
})

test("an error that quotes a header of thousands of columns is cut", () => {
  const said = String(refusal("gsc-csv", `${"column,".repeat(8000)}\n1\n`))
  expect(said).toStartWith("file:1: no column for date")
  expect(said).toEndWith("…")
  expect(said.length).toBeLessThan(1100)
})
