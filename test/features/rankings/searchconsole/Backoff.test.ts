import { describe, expect, test } from "bun:test"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { newestFinalDay } from "../../../../src/features/rankings/Site.ts"
import * as Credentials from "../../../../src/features/rankings/searchconsole/Credentials.ts"
import * as SearchAnalytics from "../../../../src/features/rankings/searchconsole/SearchAnalytics.ts"

import { effectWithTestClock } from "../../../harness.ts"

describe("the wait before a retry", () => {
  test("doubles from the first wait", () => {
    const waits = [0, 1, 2, 6].map((attempt) =>
      Duration.toSeconds(SearchAnalytics.delay(attempt, Duration.seconds(1), null))
    )
    expect(waits).toEqual([1, 2, 4, 64])
  })

  test("is as long as the service requests, within bounds", () => {
    expect(Duration.toSeconds(SearchAnalytics.delay(0, Duration.seconds(1), Duration.seconds(30)))).toBe(30)
    expect(Duration.toSeconds(SearchAnalytics.delay(5, Duration.seconds(1), Duration.seconds(2)))).toBe(32)
    expect(Duration.toMinutes(SearchAnalytics.delay(0, Duration.seconds(1), Duration.hours(20)))).toBe(10)
  })
})

describe("the latest final day", () => {
  effectWithTestClock("is three days before today in Google's time zone", function* () {
    yield* TestClock.setTime(Date.parse("2026-10-10T06:59:00Z"))
    expect(yield* newestFinalDay).toBe("2026-10-06")
    yield* TestClock.setTime(Date.parse("2026-10-10T07:01:00Z"))
    expect(yield* newestFinalDay).toBe("2026-10-07")
  })

  effectWithTestClock("is correct across the change to winter time", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-03T07:30:00Z"))
    expect(yield* newestFinalDay).toBe("2026-10-30")
    yield* TestClock.setTime(Date.parse("2026-11-03T08:30:00Z"))
    expect(yield* newestFinalDay).toBe("2026-10-31")
  })
})

describe("errors of the service", () => {
  test("have a reason in the new error format, too", () => {
    const json = Option.some({ error: { code: 403, message: "Quota.", status: "RESOURCE_EXHAUSTED" } })
    expect(SearchAnalytics.of({ headers: { "retry-after": "7" }, json, status: 403 })).toMatchObject({
      kind: "quota",
      retryAfter: Duration.seconds(7)
    })
  })

  test("ignore a Retry-After that is no number of seconds", () => {
    const headers = { "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" }
    expect(SearchAnalytics.of({ headers, json: Option.none(), status: 503 }).retryAfter).toBeNull()
  })
})

describe("Search Console credentials", () => {
  const user = { type: "authorized_user", client_id: "a", client_secret: "s", refresh_token: "r" }

  test("are read from Google's own files", () => {
    const parsed = Either.getOrThrow(Credentials.parse(JSON.stringify({ ...user, quota_project_id: "x" })))
    expect(parsed.type === "authorized_user" ? Redacted.value(parsed.refresh_token) : "").toBe("r")
  })

  test.each([
    "{}",
    "nonsense",
    JSON.stringify({ ...user, refresh_token: "" }),
    JSON.stringify({ ...user, token_uri: "http://203.0.113.5/token" }),
    JSON.stringify({ type: "service_account", client_email: "a" })
  ])("%#: are refused without being shown", (json) => {
    expect(Credentials.parse(json)).toEqual(
      Either.left("neither the key file of a service account nor an authorized_user with a refresh token")
    )
  })

  test("do not show their secrets when printed", () => {
    const parsed = Either.getOrThrow(
      Credentials.parse(JSON.stringify({ ...user, client_secret: "hush", refresh_token: "quiet" }))
    )
    expect(String(parsed)).not.toMatch(/hush|quiet/)
    expect(JSON.stringify(parsed)).not.toMatch(/hush|quiet/)
  })
})
