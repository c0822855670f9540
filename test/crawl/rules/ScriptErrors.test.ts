import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Renderer } from "../../../src/crawl/render/Rendering.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

/** What the check says of a page whose scripts have these errors and whose requests were refused. */
const found = (errors: ReadonlyArray<string>, refused: ReadonlyArray<{ url: string; why: string }>) =>
  Effect.gen(function* () {
    const page = { body: html({ body: `<p>${"word ".repeat(60)}</p><script>go()</script>`, title: "Tea" }) }
    const renderer = Layer.succeed(Renderer, {
      browser: Effect.succeed("Scripted/1"),
      render: () => Effect.succeed({ errors, html: page.body, redirect: null, refused, requests: 0 }),
      store: () => Effect.succeed(Option.none()),
      width: 1
    })
    const layer = Layer.merge(
      renderer,
      memoryOutbound(() => page)
    )
    const { findings, pages } = yield* Effect.provide(report("https://site.test/", { maxPages: 1 }), layer)
    expect(pages[0]?.rendering?.errors).toEqual([...errors])
    const items = findings.flatMap(({ evidence, rule }) => (rule === "script_error" ? evidence.items : []))
    return items.map(({ detail }) => detail)
  })

const failed = "TypeError: Failed to fetch"
const post = { url: "https://site.test/collect", why: "method" }

it("a request that is refused here is no script error of the page", function* () {
  expect(yield* found([failed], [post])).toEqual([])
  expect(yield* found([failed, "ReferenceError: go is not defined"], [post])).toEqual([
    "ReferenceError: go is not defined"
  ])
})

it("a request that fails for visitors too is a script error of the page", function* () {
  expect(yield* found([failed], [])).toEqual([failed])
})
