import { expect, test } from "bun:test"
import { type Format, formatOf } from "../../../src/foundation/http/Contract.ts"

const json: Format = "application/json"
const csv: Format = "text/csv"
const ndjson: Format = "application/x-ndjson"

const cases: ReadonlyArray<readonly [string | undefined, Format]> = [
  [undefined, json],
  ["", json],
  ["*/*", json],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", json],
  ["text/html", json],
  [csv, csv],
  ["Text/CSV; header=present", csv],
  ["text/*", csv],
  [ndjson, ndjson],
  ["application/*", json],
  ["application/*, application/json;q=0", ndjson],
  ["text/csv, application/json", json],
  ["text/csv, application/json;q=0.9", csv],
  ["text/csv;q=0.4, application/x-ndjson;q=0.5", ndjson],
  ["text/csv;q=0.9, */*;q=0.1", csv],
  ["text/csv;q=0", json]
]

test.each(cases)("Accept: %p is answered with %p", (accept, format) => {
  expect(formatOf(accept)).toBe(format)
})
