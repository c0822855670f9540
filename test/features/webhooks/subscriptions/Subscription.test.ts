import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { subscribable } from "../../../../src/features/webhooks/Catalogue.ts"
import { WebhookUrl } from "../../../../src/features/webhooks/Domain.ts"
import { CreateSubscription, PatchSubscription } from "../../../../src/features/webhooks/subscriptions/Subscription.ts"

const create = Schema.decodeUnknownEither(CreateSubscription)
const patch = Schema.decodeUnknownEither(PatchSubscription)
const valid = { url: "https://example.com/hooks", events: ["audit.completed"] }
const names = subscribable.map((kind) => kind.type)

describe("the URL of a webhook", () => {
  test.each([
    "https://example.com",
    "http://example.com:8080/hooks?a=1&b=%20",
    "HTTPS://EXAMPLE.com/Hooks",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/",
    "https://[2606:4700::1111]/hooks",
    `https://example.com/${"a".repeat(2048 - 20)}`
  ])("%p is accepted and stored as written", (url) => {
    expect(Either.getOrThrow(create({ ...valid, url })).url).toBe(WebhookUrl.make(url))
  })

  test.each([
    ["", "must be an absolute http or https URL"],
    ["example.com/hooks", "must be an absolute http or https URL"],
    ["//example.com/hooks", "must be an absolute http or https URL"],
    ["ftp://example.com/", "must be an absolute http or https URL"],
    ["javascript:alert(1)", "must be an absolute http or https URL"],
    ["file:///etc/passwd", "must be an absolute http or https URL"],
    ["https:example.com", "must be an absolute http or https URL"],
    ["https:\\\\example.com", "must be an absolute http or https URL"],
    ["https://", "must be an absolute http or https URL"],
    ["https://exa mple.com/", "must be an absolute http or https URL"],
    [" https://example.com/", "must be an absolute http or https URL"],
    ["https://example.com/\n", "must be an absolute http or https URL"],
    ["https://example.com/a\tb", "must be an absolute http or https URL"],
    ["https://example.com/\u0000", "must be an absolute http or https URL"],
    ["https://example.com:99999/", "must be an absolute http or https URL"],
    ["https://[::1/", "must be an absolute http or https URL"],
    ["https://user:pass@example.com/", "must not contain credentials"],
    ["https://user@example.com/", "must not contain credentials"],
    ["https://:pass@example.com/", "must not contain credentials"],
    ["https://example.com/#part", "must not have a fragment"],
    ["https://example.com/#", "must not have a fragment"],
    [`https://example.com/${"a".repeat(2048 - 19)}`, "must be at most 2048 characters long"]
  ])("%p is refused: %s", (url, problem) => {
    const result = create({ ...valid, url })
    expect(Either.isLeft(result) && result.left.message).toContain(problem)
  })
})

describe("the events of a webhook", () => {
  test("may be all eight", () => {
    expect(Either.isRight(create({ ...valid, events: names }))).toBe(true)
  })

  test.each([
    ["none", []],
    ["one twice", ["audit.failed", "audit.failed"]],
    ["all eight and one again", [...names, "audit.failed"]],
    ["an unknown one", ["audit.started"]],
    ["the ping", ["webhook.ping"]],
    ["one in other letters", ["Audit.Completed"]],
    ["a wildcard", ["*"]],
    ["a text instead of a list", "audit.completed"]
  ])("are refused when they are %s", (_, events) => {
    expect(Either.isLeft(create({ ...valid, events }))).toBe(true)
  })
})

describe("the description of a webhook", () => {
  test("may be absent or null, with the same effect", () => {
    expect(Either.getOrThrow(create(valid)).description).toBeNull()
    expect(Either.getOrThrow(create({ ...valid, description: null })).description).toBeNull()
  })

  test("may have 500 characters and not 501", () => {
    expect(Either.isRight(create({ ...valid, description: "ü".repeat(500) }))).toBe(true)
    expect(Either.isLeft(create({ ...valid, description: "ü".repeat(501) }))).toBe(true)
  })
})

test("a description with a character that the database cannot store is refused", () => {
  expect(Either.isLeft(create({ ...valid, description: "a\u0000b" }))).toBe(true)
})

describe("a change of a webhook", () => {
  test("may set any one field, or none", () => {
    for (const change of [
      {},
      { url: valid.url },
      { events: ["audit.failed"] },
      { description: null },
      { is_active: false }
    ]) {
      expect<unknown>(Either.getOrThrow(patch(change))).toEqual(change)
    }
  })

  test("has the limits of a creation", () => {
    for (const change of [
      { url: "ftp://a.example" },
      { events: [] },
      { description: "x".repeat(501) },
      { is_active: "no" }
    ]) {
      expect(Either.isLeft(patch(change))).toBe(true)
    }
  })

  test("cannot set fields that only the server sets", () => {
    expect<unknown>(Either.getOrThrow(patch({ id: "wh_1", secret: "whsec_x", deactivation: null }))).toEqual({})
  })
})
