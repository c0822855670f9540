import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { CreateAudit } from "../../../src/features/audits/Domain.ts"

const isValid = Schema.is(CreateAudit)

describe("the body of POST /audits", () => {
  test("needs an http or https URL", () => {
    for (const url of [
      "https://example.com",
      "http://example.com:8080/a?b#c",
      "HTTPS://EXAMPLE.COM/",
      "https://münchen.example/"
    ])
      expect(isValid({ url })).toBe(true)
    const wrong = [
      "",
      "example.com",
      "ftp://example.com",
      "javascript:alert(1)",
      "https://",
      "https:/x",
      " https://a.example"
    ]
    for (const url of [
      ...wrong,
      "https://u:p@example.com",
      "https://a b",
      `https://a/${"x".repeat(2048)}`,
      5,
      null,
      undefined
    ])
      expect(isValid({ url })).toBe(false)
    expect(isValid({})).toBe(false)
  })

  test("takes mobile or desktop, and nothing else, as device", () => {
    const url = "https://example.com"
    expect(isValid({ url, device: "mobile" })).toBe(true)
    expect(isValid({ url, device: "desktop" })).toBe(true)
    for (const device of ["tablet", "", null, 1]) expect(isValid({ url, device })).toBe(false)
  })

  test("takes the two fields without effect, whatever they hold", () => {
    const body = { url: "https://example.com", generate_fix_packs: "yes", verify_ssl: 1 }
    expect(isValid(body)).toBe(true)
  })
})
