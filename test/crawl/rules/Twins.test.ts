import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { origin, page, soundSite } from "./SoundSite.ts"

const crawled = (changes: Readonly<Record<string, Reply>>) =>
  Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes)))

const told = (changes: Readonly<Record<string, Reply>>) =>
  Effect.map(crawled(changes), ({ findings }) =>
    findings.flatMap(({ pages, rule, status }) =>
      status === "fail" && /twins|duplicate/.test(rule) ? [[rule, pages.length]] : []
    )
  )

describe("two addresses of one page are twins, and no duplicates", () => {
  for (const [one, other, words] of [
    ["/x", "/x/", "the slash at the end"],
    ["/x/", "/x/index.php", '"index.php"'],
    ["/x", "/x?utm_source=mail", 'the tracking parameter "utm_source"'],
    ["/x?a=1", "/x?a=1&sid=42", 'the session id "sid"'],
    ["/x?a=1&b=2", "/x?b=2&a=1", "the order of their parameters"],
    ["/x/", "/x?gclid=7", 'the tracking parameter "gclid"']
  ] as const) {
    it(words, function* () {
      const { findings } = yield* crawled({ [one]: page(one, { title: "X" }), [other]: page(other, { title: "X" }) })
      const failing = findings.filter(({ status }) => status === "fail").map(({ rule }) => rule)
      expect(failing.filter((rule) => /twins|duplicate/.test(rule))).toEqual(["address_twins"])
      const twins = findings.find(({ rule }) => rule === "address_twins")
      expect(twins?.severity).toBe("info")
      expect(twins?.pages.toSorted()).toEqual([`${origin}${one}`, `${origin}${other}`].toSorted())
      expect(twins?.evidence.items[0]?.detail).toEndWith(words)
    })
  }
})

it("two such addresses with different contents are two pages", () =>
  Effect.map(told({ "/x": page("/x"), "/x/": page("/x/") }), (found) => expect(found).toEqual([])))

it("a twin does not excuse what a third page shares with it", () =>
  Effect.map(
    told({ "/x": page("/x", { title: "X" }), "/x/": page("/x/", { title: "X" }), "/y": page("/y", { title: "X" }) }),
    (found) =>
      expect(found).toEqual([
        ["title_duplicate", 3],
        ["description_duplicate", 3],
        ["content_duplicate", 3],
        ["address_twins", 2]
      ])
  ))

it("session ids that are told of as addresses without end are no twins besides", () =>
  Effect.map(
    crawled(
      Object.fromEntries(["1", "2", "3"].map((id) => [`/x?sid=${id}`, page(`/x?sid=${id}`, { title: "X" })] as const))
    ),
    ({ findings }) => {
      const statusOf = (id: string) => findings.find(({ rule }) => rule === id)?.status
      expect(["endless_addresses", "address_twins", "content_duplicate"].map(statusOf)).toEqual([
        "fail",
        "pass",
        "pass"
      ])
    }
  ))
