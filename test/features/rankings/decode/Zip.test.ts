import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import { gzipSync, strToU8, unzipSync as unzipped, Zip, ZipDeflate, ZipPassThrough, zipSync } from "fflate"
import { formatDecoder, mostMembers } from "../../../../src/features/rankings/decode/Decode.ts"
import { decode, refusal, rowsOf } from "../decoding.ts"

const header = "Date,Query,Page,Clicks,Impressions,CTR,Position"
const table = (count: number, from = 0) =>
  strToU8(
    [header, ...Array.from({ length: count }, (_, index) => `2026-10-01,q${from + index},/p,1,10,10%,2.5`), ""].join(
      "\n"
    )
  )

const queries = strToU8("Top queries,Clicks,Impressions,CTR,Position\nshoes,1,10,10%,2.5\n")
const filters = strToU8("Filter,Value\nSearch type,Web\n")

test("the table of an archive is found among other files", () => {
  const archive = zipSync({
    "Queries.csv": queries,
    "Filters.csv": filters,
    "logo.png": new Uint8Array(999),
    "Table.csv": table(3)
  })
  for (const piece of [1, 100, 65536]) expect(rowsOf("gsc-csv", archive, {}, piece)).toHaveLength(3)
})

test("several tables of an archive are read in turn", () => {
  const archive = zipSync({ "october/1.csv": table(2), "october/2.csv": table(3, 2) })
  expect(rowsOf("gsc-csv", archive).map(({ query }) => query)).toEqual(["q0", "q1", "q2", "q3", "q4"])
})

test("archives written as a stream, stored or deflated, are read", () => {
  for (const Member of [ZipDeflate, ZipPassThrough]) {
    const pieces: Array<Uint8Array> = []
    const zip = new Zip((_, bytes) => pieces.push(bytes))
    const member = new Member("Table.csv")
    zip.add(member)
    member.push(table(500), true)
    zip.end()
    expect(rowsOf("gsc-csv", Buffer.concat(pieces), {}, 77)).toHaveLength(500)
  }
})

test("an archive with only a list of filters is refused", () => {
  const appearance = strToU8("Search Appearance,Clicks,Impressions,CTR,Position\nVideos,1,2,50%,1\n")
  expect(refusal("gsc-csv", zipSync({ "Filters.csv": filters, "Search appearance.csv": appearance }))).toStartWith(
    "file/Search appearance.csv:1: this table lists search appearances"
  )
})

/** Whether a byte has the flag for a UTF-8 name in a local header. */
const isNameFlag = (bytes: Uint8Array, at: number) =>
  at >= 7 && bytes[at - 7] === 0x50 && bytes[at - 6] === 0x4b && bytes[at - 5] === 3 && bytes[at - 4] === 4

const metrics = "Clicks,Impressions,CTR,Position"
const exported = zipSync({
  "Queries.csv": queries,
  "Pages.csv": strToU8(`Top pages,${metrics}\nhttps://example.com/a,3,40,7.5%,4\n`),
  "Countries.csv": strToU8(`Country,${metrics}\nGermany,2,20,10%,4\nFrance,1,15,7%,4\n`),
  "Devices.csv": strToU8(`Device,${metrics}\nMobile,3,35,9%,4\n`),
  "Search appearance.csv": strToU8(`Search Appearance,${metrics}\nVideos,1,2,50%,1\n`),
  "Chart.csv": strToU8(`Date,${metrics}\n2026-10-01,3,35,9%,4\n`),
  "Filters.csv": filters
})
const levels = (options: { readonly date?: string }) =>
  rowsOf("gsc-csv", exported, options).map(({ country, device, page, table }) => [table.level, page, country, device])

test("an export of Search Console is imported as totals of a given day", () => {
  expect(levels({ date: "2026-10-01" })).toEqual([
    ["pages", "/a", null, null],
    ["property", null, "deu", null],
    ["property", null, "fra", null],
    ["property", null, null, "MOBILE"],
    ["property", null, null, null]
  ])
  expect(levels({})).toEqual([["property", null, null, null]])
})

test("tables without dates are snapshots, and with a given day they are its totals, except for queries", () => {
  const kept = (options: { readonly date?: string }) =>
    Either.getOrThrow(decode("gsc-csv", exported, options)).snapshots?.map(({ key, table }) => [table.kind, key])
  expect(kept({})).toEqual([
    ["queries", "shoes"],
    ["pages", "/a"],
    ["countries", "deu"],
    ["countries", "fra"],
    ["devices", "MOBILE"]
  ])
  expect(kept({ date: "2026-10-01" })).toEqual([["queries", "shoes"]])
})

test("pages on subdomains are left out of snapshots, and pages on foreign hosts are refused", () => {
  const pages = (host: string, options = {}) =>
    decode(
      "gsc-csv",
      `Top pages,${metrics}\nhttps://example.com/a,3,40,7.5%,4\nhttps://${host}/b,3,40,7.5%,4\n`,
      options
    )
  const { dropped, snapshots } = Either.getOrThrow(pages("blog.example.com"))
  expect([dropped.otherHost, snapshots?.map(({ key }) => key)]).toEqual([1, ["/a"]])
  expect(Either.isLeft(pages("example.org"))).toBe(true)
  const property = { _tag: "Domain", domain: "com" } as const
  expect(Either.getOrThrow(pages("other.com", { property })).dropped.otherHost).toBe(1)
})

test("tables of an export that cannot be imported are listed with the reason, also in an unknown language", () => {
  const { passedOver } = Either.getOrThrow(
    decode(
      "gsc-csv",
      zipSync({
        ...unzipped(exported),
        "Tundmatud.csv": strToU8("Tundmatu,Klikid,Näitamised,CTR,Asukoht\nx,1,2,50%,1\n")
      })
    )
  )
  expect(passedOver).toEqual([
    "file/Search appearance.csv:1: this table lists search appearances, which a CSV export cannot provide by query and page. Use a bulk export",
    'file/Tundmatud.csv:1: no column is known as the date, query, page, country or device; the header is "Tundmatu", "Klikid", "Näitamised", "CTR", "Asukoht"'
  ])
})

test("a file in an archive has its own name, whether or not the archive marks names as UTF-8", () => {
  const header = strToU8("Unbekannt,Klicks,Impressionen,CTR,Position\n")
  const archive = zipSync({ "Länder.csv": header, "Requêtes.csv": queries })
  const unsaid = archive.map((byte, at) => (isNameFlag(archive, at) ? byte & ~8 : byte))
  for (const bytes of [archive, unsaid]) {
    expect(Either.getOrThrow(decode("gsc-csv", bytes)).passedOver?.[0]).toStartWith("file/Länder.csv:1: ")
  }
})

test.each([
  [strToU8("PAR1\u0015\u0004"), "this is Parquet"],
  [strToU8("Obj\u0001..."), "this is Avro"],
  [zipSync({ "[Content_Types].xml": strToU8("<Types/>"), "xl/workbook.xml": strToU8("") }), "an Excel workbook (xlsx)"]
])("%#: an unsupported container is named in the error", (bytes, reason) => {
  for (const format of ["gsc-csv", "bigquery"] as const) expect(refusal(format, bytes)).toContain(reason)
})

test("a bad row of a file in an archive is reported with the file and its line", () => {
  const bad = strToU8(`${header}\n2026-10-01,a,/p,1,10,10%,2.5\n2026-10-01,a,/p,9,5,10%,2.5\n`)
  expect(refusal("gsc-csv", zipSync({ "a/Table.csv": bad }))).toBe(
    "file/a/Table.csv:3: 9 clicks are more than 5 impressions"
  )
})

test("an archive without tables is refused", () => {
  expect(refusal("gsc-csv", zipSync({ "logo.png": new Uint8Array(9) }))).toBe(
    "file: the archive has no Search Console table. Import the ZIP as Search Console exports it"
  )
})

test("a truncated archive or gzip file is refused", () => {
  const archive = zipSync({ "Table.csv": table(5000) })
  expect(refusal("gsc-csv", archive.subarray(0, archive.length >> 1))).toStartWith("file: the archive")
  const packed = gzipSync(table(5000))
  expect(refusal("gsc-csv", packed.subarray(0, packed.length >> 1))).toStartWith("file: the compressed file")
})

test("archives with very many files are refused", () => {
  const members = Object.fromEntries(Array.from({ length: mostMembers + 1 }, (_, index) => [`${index}.txt`, table(0)]))
  expect(refusal("gsc-csv", zipSync(members))).toContain("more than 100 files")
})

test("a small file that decompresses to a huge one is refused before it fills the disk", () => {
  const zeros = new Uint8Array(70 * 1024 * 1024)
  expect(refusal("gsc-csv", zipSync({ "logo.png": zeros }, { level: 1 }))).toContain(
    "is far too large when uncompressed"
  )
  expect(refusal("bigquery", Bun.gzipSync(new Uint8Array(70 * 1024 * 1024).fill(10)))).toContain(
    "is far too large when uncompressed"
  )
})

test("gzip is decompressed in every format", () => {
  expect(rowsOf("gsc-csv", gzipSync(table(4)), {}, 9)).toHaveLength(4)
  const row = {
    data_date: "2026-10-01",
    url: "/a",
    query: "q",
    search_type: "WEB",
    impressions: 1,
    clicks: 0,
    sum_position: 0
  }
  expect(rowsOf("bigquery", gzipSync(strToU8(`${JSON.stringify(row)}\n`)))).toHaveLength(1)
  expect(rowsOf("gsc-api", gzipSync(strToU8("{}")))).toHaveLength(0)
})

test("skipped rows of all files in an archive are added up", () => {
  const blank = strToU8(`${header}\n2026-10-01,,/p,1,10,10%,2.5\n`)
  const batch = Either.getOrThrow(decode("gsc-csv", zipSync({ "1.csv": blank, "2.csv": blank })))
  expect(batch.dropped.anonymised).toBe(2)
})

test("large decompressed data are read in batches of at most a quarter of a megabyte, on demand", () => {
  const rows = table(200_000)
  const gzipped = Bun.gzipSync(rows)
  for (const packed of [gzipped, zipSync({ "Table.csv.gz": [gzipped, { level: 0 }] })]) {
    expect(packed.length).toBeLessThan(rows.length / 6)
    const batches = formatDecoder("gsc-csv", "file", { host: "example.com" }).push(packed)
    let count = 0
    for (const batch of batches) {
      const { length } = Either.getOrThrow(batch).rows
      expect(length).toBeLessThanOrEqual(8000)
      count += 1
      if (count === 20) break
    }
    expect(count).toBe(20)
  }
})
