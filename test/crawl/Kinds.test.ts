import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../harness.ts"
import { report, shortTiming } from "./site/Crawled.ts"
import { kinds, site } from "./site/Kinds.ts"
import { loopback } from "./site/Loopback.ts"
import { serve } from "./site/Server.ts"

class Crawled extends Effect.Service<Crawled>()("test/Crawled", {
  scoped: Effect.gen(function* () {
    const server = yield* serve(() => site)
    // 11 MiB are decoded meanwhile, which takes a busy machine longer than the short times of other tests.
    const timing = { ...shortTiming, idleTimeout: 2000, pageDeadline: 2000 }
    const result = yield* report(`${server.origin}/`, { maxPages: 200, timing })
    return { result, server }
  }),
  dependencies: [loopback]
}) {}

describe("every kind of page gets its states", () => {
  const it = suite(Crawled.Default)
  for (const kind of kinds) {
    it(`${kind.path} is ${kind.states.health_reason}`, function* () {
      const { result, server } = yield* Crawled
      const page = result.pages.find(({ url }) => url === `${server.origin}${kind.path}`)
      expect(page).toMatchObject(kind.states)
    })
  }
  it("robots.txt is asked first, and nothing it forbids is asked at all", function* () {
    const { server } = yield* Crawled
    expect(server.seen[0]?.path).toBe("/robots.txt")
    expect(server.seen.filter(({ path }) => path.startsWith("/private"))).toEqual([])
  })
  it("the run saw the whole site", function* () {
    const { result } = yield* Crawled
    expect(result.summary).toMatchObject({ complete: true, termination: "complete" })
  })
})
