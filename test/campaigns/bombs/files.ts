import { deflateRawSync, gzipSync } from "node:zlib"
import { type Zippable, zipSync } from "fflate"

/** A file that costs much, and how it is sent. */
export interface Bomb {
  readonly name: string
  readonly query: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const text = (content: string) => new Uint8Array(Buffer.from(content))
const own = (bytes: Uint8Array) => new Uint8Array(bytes)
const mega = 1_000_000

const header = "Date,Query,Page,Clicks,Impressions,Position\n"

/** Rows of one fact: they say the same, so that the database has little to do. */
const rows = (bytes: number) => {
  const row = "2026-10-08,shoes for long walks,/blog/shoes-for-long-walks,1,20,3.5\n"
  return text(header + row.repeat(Math.floor(bytes / row.length)))
}

/** Rows of facts of their own, each with a page address of its own kind. */
const apart = (count: number, page: (index: number) => string) =>
  text(
    header +
      Array.from({ length: count }, (_, index) => `2026-10-08,query ${index % 100},${page(index)},1,20,3.5\n`).join("")
  )

/** Rows that pack some 130 to 1: what no limit of the ratio gives away. */
const dense = (bytes: number) => {
  const block = () => {
    const query = crypto.getRandomValues(new Uint8Array(150)).toHex()
    return Buffer.concat([
      Buffer.from(`2026-10-08,${query},/a,1,20,3.5\n`),
      Buffer.alloc(33_000, "2026-10-08,shoes,/a,1,20,3.5\n").subarray(0, 29 * 1130)
    ])
  }
  return new Uint8Array(Buffer.concat([text(header), ...Array.from({ length: bytes / 33_000 }, block)]))
}

const zip = (members: Zippable, level: 0 | 9 = 9) => own(zipSync(members, { level }))

/** Local headers of a ZIP, one after another, that say what they like of their sizes. */
const members = (count: number, content: Uint8Array, said: number) => {
  const packed = deflateRawSync(content)
  const parts: Array<Buffer> = []
  for (let index = 0; index < count; index++) {
    const name = Buffer.from(`${index}.csv`)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(said === 0 ? packed.length : said, 18)
    head.writeUInt32LE(said === 0 ? content.length : said, 22)
    head.writeUInt16LE(name.length, 26)
    parts.push(head, name, packed)
  }
  return own(Buffer.concat(parts))
}

const csv = "format=gsc-csv"
const api = "format=gsc-api"
const bulk = "format=bigquery"

/** Every file that the campaign sends, made when its turn comes. */
export const bombs: Readonly<Record<string, () => Omit<Bomb, "name">>> = {
  "100 MB of CSV in a ZIP": () => ({ bytes: zip({ "a.csv": dense(100 * mega) }), query: csv }),
  "100,000 rows that differ in a ZIP": () => ({
    bytes: zip({ "a.csv": apart(100_000, (index) => `/blog/${index}`) }),
    query: csv
  }),
  "300,000 addresses that differ in their fragment": () => ({
    bytes: own(gzipSync(apart(300_000, (index) => `/a#${index}`))),
    query: csv
  }),
  "gzip in a ZIP, packed twice": () => ({ bytes: zip({ "a.csv.gz": own(gzipSync(dense(200 * mega))) }), query: csv }),
  "gzip of gzip": () => ({ bytes: own(gzipSync(gzipSync(rows(50 * mega)))), query: csv }),
  "ZIP in ZIP in ZIP": () => ({
    bytes: zip({ "a.zip": zip({ "a.zip": zip({ "a.csv": rows(10 * mega) }) }) }),
    query: csv
  }),
  "ZIP of 100,000 members": () => ({ bytes: members(100_000, text(header), 0), query: csv }),
  "ZIP that says members have 4 GiB": () => ({ bytes: members(3, rows(mega), 0xffffffff), query: csv }),
  "ZIP that says members have a byte": () => ({ bytes: members(3, rows(mega), 1), query: csv }),
  "1 GiB of zeros in gzip": () => ({ bytes: own(gzipSync(Buffer.alloc(1024 ** 3))), query: csv }),
  "64 MiB of zeros": () => ({ bytes: new Uint8Array(64 * 1024 ** 2), query: csv }),
  "one line of 1 GiB in gzip": () => ({
    bytes: own(gzipSync(Buffer.alloc(1024 ** 3, "a,"), { level: 1 })),
    query: csv
  }),
  "a header of a million columns": () => ({ bytes: text(`${"a,".repeat(mega)}\n1\n`), query: csv }),
  "a row of a million columns": () => ({ bytes: text(`${header}${",".repeat(mega)}\n`), query: csv }),
  "a quote that stays open": () => ({ bytes: text(`${header}"${"a\n".repeat(2 * mega)}`), query: csv }),
  "arrays in arrays, 500 KB": () => ({ bytes: text(`{"rows":${"[".repeat(500_000)}`), query: api }),
  "arrays in arrays, closed": () => ({
    bytes: text(`{"rows":${"[".repeat(250_000)}${"]".repeat(250_000)}}`),
    query: api
  }),
  "objects in objects, 1 MB": () => ({
    bytes: text(`{"rows":[${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}]}`),
    query: api
  }),
  "bulk rows of arrays in arrays": () => ({
    bytes: text(`{"data_date":${"[".repeat(500_000)}${"]".repeat(500_000)}}\n`),
    query: bulk
  }),
  "a row of 100,000 members": () => ({
    bytes: text(`{${Array.from({ length: 100_000 }, (_, index) => `"${index}":1`).join(",")}}\n`),
    query: bulk
  }),
  "100 MB of JSON in gzip": () => ({
    bytes: own(
      gzipSync(
        `{"rows":[${'{"keys":["2026-10-08","shoes","https://a.example/a"],"clicks":1,"impressions":20,"position":3},'.repeat(mega)}0]}`
      )
    ),
    query: api
  })
}
