import { expect, test } from "bun:test"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { RateLimitCheck } from "../../../src/features/accounts/RateLimitRepo.ts"
import { Project } from "../../../src/features/projects/Domain.ts"
import { Page as KeywordsPage } from "../../../src/features/rankings/keywords/Page.ts"
import { Run } from "../../../src/features/sitehealth/Domain.ts"
import { decoder, encoder } from "../../../src/foundation/schema/Plain.ts"

const optional = Schema.Struct({
  list: Schema.Array(Schema.NullOr(Schema.Int)),
  maybe: Schema.optionalWith(Schema.String, { exact: true }),
  undefinable: Schema.optional(Schema.Literal("a", 1, null))
})

/** A value with one of its fields, at any depth, made something else. */
const spoiled = (value: unknown, other: unknown, at: number): unknown => {
  if (typeof value !== "object" || value === null) return other
  const names = Object.keys(value)
  const name = names[at % Math.max(1, names.length)]
  if (name === undefined) return other
  const field: unknown = Reflect.get(value, name)
  const changed = { ...value, [name]: spoiled(field, other, Math.floor(at / 7)) }
  return Array.isArray(value) ? Object.values(changed) : changed
}

const law = <A, I>(name: string, schema: Schema.Schema<A, I>, sample: I) =>
  test(`${name}: decoded and encoded as by the schema library, whatever is wrong or too much`, () => {
    const decode = decoder(schema)
    const library = Schema.decodeUnknownEither(schema)
    const encode = encoder(schema)
    const encoded = Schema.encodeSync(schema)
    const same = (value: unknown) => {
      const expected = library(value)
      if (Either.isLeft(expected)) expect(() => decode(value)).toThrow(expected.left.message)
      else {
        expect(decode(value)).toStrictEqual(expected.right)
        expect(encode(expected.right)).toStrictEqual(encoded(expected.right))
      }
    }
    expect(Either.isRight(library(sample))).toBe(true)
    same(sample)
    const value = fc.oneof(fc.constant(sample), Arbitrary.make(Schema.encodedSchema(schema)))
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, null, 0.5, "", {}, [], true), fc.nat(1000), (value, other, at) => {
        same(value)
        same(typeof value === "object" && !Array.isArray(value) ? { ...value, unknown: 1 } : value)
        same(spoiled(value, other, at))
      }),
      { numRuns: 60 }
    )
  })

const id = "0195b5a2-4c5d-7e6f-8a9b-0c1d2e3f4a5b"
const at = "2026-11-21T08:00:00.000000+00:00"

law("a rate-limit check", RateLimitCheck, {
  accountId: null,
  keyId: id,
  limit: 600,
  remaining: 599,
  resetSeconds: 60,
  revoked: false,
  scopes: ["*"],
  waitSeconds: null
})
law("projects", Schema.Array(Project), [
  { brand_terms: ["a"], created_at: at, host: "example.com", id, name: "A", url: "https://example.com/" }
])
law("pages of keywords", KeywordsPage, {
  coverage: "[]",
  cut: "end",
  records: null,
  snapshot: "1"
})
law("a run", Run, {
  counters: null,
  created_at: at,
  error: { code: "worker_lost", message: "gone" },
  finished_at: at,
  id,
  phase: "finished",
  project_id: id,
  request: { check_dead_links: true, max_pages: 5, url: "https://example.com/", verify: null },
  result_available: false,
  started_at: null,
  status: "failed",
  type: "site_health"
})
law("fields that may be absent", optional, { list: [1, null] })
law("a schema that transforms", Schema.Struct({ n: Schema.NumberFromString }), { n: "1" })
law("a schema of bytes", Schema.Uint8ArrayFromSelf, new Uint8Array([1]))
