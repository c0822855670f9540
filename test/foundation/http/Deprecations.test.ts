import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { moved } from "../../../src/foundation/http/Deprecations.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const old = "/api/v1/audits/schedules"
const now = "/api/v1/audit-schedules"

describe("a path that has another name now", () => {
  test("is told from others that begin alike", () => {
    expect(moved(`${old}/x?y=/z`)?.url).toBe(`${now}/x?y=/z`)
    expect([`${old}x`, "/api/v1/audits/schedule", now].map(moved)).toEqual([undefined, undefined, undefined])
  })

  it.effect("is answered as under its new one, errors too, and says since when and until when", () =>
    Effect.gen(function* () {
      const { key } = yield* Server.customer()
      const body = { every: "1d", url: "https://example.com/" }
      const headers = { "idempotency-key": "one-schedule-only" }
      const made = yield* Server.send("POST", old, { body, headers, key })
      const replayed = yield* Server.send("POST", now, { body, headers, key })
      expect([made.status, replayed.status, replayed.body.meta]).toEqual([201, 200, { idempotent_replay: true }])
      expect(made.headers.get("location")).toBe(`${now}/${made.body.data.id}`)
      expect([replayed.headers.get("deprecation"), replayed.headers.get("sunset")]).toEqual([null, null])

      const listed = yield* Server.send("GET", `${old}?limit=1`, { key })
      expect(listed.body.links.self).toEndWith(`${now}?limit=1`)
      const refused = yield* Server.send("GET", old)
      const missing = yield* Server.send("GET", `${old}/none`, { key })
      expect([listed.status, refused.status, missing.status]).toEqual([200, 401, 404])
      for (const answer of [made, listed, refused, missing]) {
        expect(answer.headers.get("deprecation")).toBe("@1795305600")
        expect(answer.headers.get("sunset")).toBe("Wed, 01 Dec 2027 00:00:00 GMT")
        expect(answer.headers.get("link")).toBe(`<${now}>; rel="successor-version"`)
      }
    })
  )
})
