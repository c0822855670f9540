import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { origin, page, redirect, soundSite } from "./SoundSite.ts"

const said = (rule: string, changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))), ({ findings }) =>
    findings.find((each) => each.rule === rule)
  )

const link = (language: string, path: string) => `<link rel="alternate" hreflang="${language}" href="${origin}${path}">`
const versions = { en: "/about", de: "/de/about", "pt-BR": "/pt-BR/about" }
const head = (everybody: string | null, named = Object.entries(versions)) =>
  named.map(([language, path]) => link(language, path)).join("") +
  (everybody === null ? "" : link("x-default", everybody))

/** Three versions of a page, each with its x-default. */
const family = (everybody: (path: string) => string | null) =>
  Object.fromEntries(Object.values(versions).map((path) => [path, page(path, { head: head(everybody(path)) })]))

const rule = "hreflang_default_conflicting"

describe("language versions with different x-default pages", () => {
  it("are reported, each with the x-default of another version", function* () {
    const finding = yield* said(
      rule,
      family((path) => path)
    )
    expect(finding?.pages).toEqual(Object.values(versions).map((path) => origin + path))
    expect(finding?.evidence.items[1]).toMatchObject({
      markup: link("x-default", "/de/about"),
      place: "head",
      value: `${origin}/de/about`
    })
    expect(finding?.evidence.items[1]?.detail).toContain(`on ${origin}/about it is ${origin}/about`)
  })

  it("are no issue when all x-default URLs lead to one page, or only some versions have one", function* () {
    for (const everybody of [
      () => "/about",
      (path: string) => (path === "/about" ? "/about" : "/choose"),
      (path: string) => (path === "/about" ? "/about" : null)
    ])
      expect(
        (yield* said(rule, { ...family(everybody), "/choose": redirect("/about", 302) }, ["/choose"]))?.status
      ).toBe("pass")
  })

  it("are no issue when the other page has no return link", function* () {
    const changes = {
      ...family(() => "/about"),
      "/de/about": page("/de/about", { head: head("/de/about", [["de", "/de/about"]]) })
    }
    expect((yield* said(rule, changes))?.status).toBe("pass")
  })
})

it("a page that names itself by a URL beyond the limit is not reported for leaving itself out", function* () {
  const changes = {
    "/a": page("/a", { head: link("en", "/old") + link("de", "/b") }),
    "/b": page("/b", { head: link("en", "/a") + link("de", "/b") }),
    "/old": redirect("/a")
  }
  const saidOf = (maxPages: number) =>
    Effect.map(
      Effect.provide(report(`${origin}/`, { maxPages }), memoryOutbound(soundSite(changes, ["/old"]))),
      ({ findings, pages }) => ({
        isRead: pages.some(({ http_status, url }) => url === `${origin}/old` && http_status === 301),
        named: findings
          .filter(({ rule }) => /hreflang_(?:self_missing|no_return)/.test(rule))
          .flatMap((each) => each.pages)
      })
    )
  expect(yield* saidOf(3)).toEqual({ isRead: false, named: [] })
  expect(yield* saidOf(50)).toEqual({ isRead: true, named: [] })
})
