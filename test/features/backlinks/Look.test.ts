import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answered, defaultTiming } from "../../../src/crawl/fetch/Fetcher.ts"
import { look, robotsOf } from "../../../src/features/backlinks/Look.ts"
import { suite } from "../../harness.ts"

const it = suite(Layer.empty)

const answered = (text: string): Answered => {
  const body = new TextEncoder().encode(text)
  return {
    _tag: "Answered",
    body,
    bytes: body.length,
    bytesRead: body.length,
    firstByteMillis: 1,
    headers: [["content-type", "text/plain"]],
    millis: 1,
    overlong: false,
    status: 200
  }
}

it("a page is not requested when its host's robots.txt takes too much memory or time to parse", function* () {
  const asked: Array<string> = []
  const fetcher = {
    get: ({ url }: { readonly url: URL }) =>
      Effect.sync(() => {
        asked.push(url.pathname)
        return answered("User-agent: *\nDisallow: /")
      }),
    space: () => Effect.void
  }
  const reader = { read: () => Effect.die("no page is read"), rules: () => Effect.succeed(null) }
  const found = yield* look(
    {
      confirmAfter: 1,
      fetcher,
      pageDeadline: 1000,
      read: reader.read,
      robots: robotsOf(fetcher, defaultTiming, reader),
      site: "example.com"
    },
    "https://linking.example/page",
    null
  )
  expect(found).toEqual({ httpStatus: null, link: null, reason: "robots_unreachable", state: "unknown" })
  expect(asked).toEqual(["/robots.txt"])
})
