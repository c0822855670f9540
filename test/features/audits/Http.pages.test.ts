import { describe, expect } from "bun:test"
import * as Schema from "effect/Schema"
import { AuditedPage } from "../../../src/features/audits/Domain.ts"
import { Page } from "../../../src/foundation/http/Contract.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { imported, layer, runtimeError } from "./auditing.ts"
import { report } from "./reports.ts"

const it = suite(layer)

const at = (address: string, device?: "mobile" | "desktop") => ({
  configSettings: device === undefined ? {} : { formFactor: device },
  finalDisplayedUrl: address,
  finalUrl: address,
  requestedUrl: address
})

const pages = (key: string, query = "") => Server.send("GET", `/api/v1/audited-pages${query}`, { key })

const decode = Schema.decodeUnknown(Page(AuditedPage), { onExcessProperty: "error" })

describe("the audited pages of an account", () => {
  it("are each address once for a device, with the number of audits and the newest of them", function* () {
    const { account, key } = yield* Server.customer()
    yield* imported((yield* Server.customer()).account, report({}, at("https://other.example/", "mobile")))
    yield* imported(account, report({}, at("https://shop.example/b", "mobile")))
    yield* imported(account, report({}, at("https://shop.example/a", "mobile")))
    const desktop = yield* imported(account, report({}, at("https://shop.example/a", "desktop")))
    const second = yield* imported(account, report({}, at("https://shop.example/a", "mobile")))
    const failed = yield* imported(account, report({}, { ...at("https://shop.example/b", "mobile"), ...runtimeError }))
    const { body } = yield* pages(key)
    const { data } = yield* decode(body)
    expect(data.map(({ audits, device, latest, url }) => [url, device, audits, latest.id, latest.status])).toEqual([
      ["https://shop.example/a", "desktop", 1, desktop.id, "completed"],
      ["https://shop.example/a", "mobile", 2, second.id, "completed"],
      ["https://shop.example/b", "mobile", 2, failed.id, "failed"]
    ])
    const { body: listed } = yield* Server.send("GET", "/api/v1/audits?limit=1", { key })
    expect(body.data[2].latest).toEqual(listed.data[0])
  })

  it("are walked in pages, each once, those without a device too", function* () {
    const { account, key } = yield* Server.customer()
    const addresses = ["https://a.example/", "https://a.example/Z", "https://a.example/ä", "https://b.example/"]
    for (const address of addresses)
      for (const device of ["mobile", "desktop"] as const) yield* imported(account, report({}, at(address, device)))
    const seen: Array<string> = []
    let query = "?limit=3"
    for (;;) {
      const { body } = yield* pages(key, query)
      seen.push(...body.data.map(({ device, url }: { device: string; url: string }) => `${url} ${device}`))
      if (!body.meta.has_next) break
      query = `?limit=3&cursor=${body.meta.next_cursor}`
    }
    const { body } = yield* pages(key, "?limit=100")
    expect(seen).toEqual(body.data.map(({ device, url }: { device: string; url: string }) => `${url} ${device}`))
    expect(new Set(seen).size).toBe(8)
  })

  it("need the scope of audits", function* () {
    const { account } = yield* Server.customer()
    expect((yield* pages(yield* Server.keyWith(account, ["projects:read"]))).status).toBe(403)
    expect((yield* pages(yield* Server.keyWith(account, ["audits:read"]))).body.data).toEqual([])
  })
})
