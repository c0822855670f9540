import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import * as ReferringDomains from "../../../src/features/observations/backlinks/ReferringDomains.ts"
import * as VisibilityReading from "../../../src/features/observations/visibility/VisibilityReading.ts"

const reason = <A>(read: Either.Either<A, string>) => (Either.isLeft(read) ? read.left : "accepted")

describe("a file of referring domains", () => {
  test("is CSV with the columns domain and authority, in any order and with others", () => {
    const text = '\uFEFFAuthority,Links,Domain\r\n78,3,"News.Example.ORG."\r\n60.5,1,bücher.example\r\n'
    expect(Either.getOrThrow(ReferringDomains.read(text))).toEqual([
      { authority: 78, domain: "news.example.org" },
      { authority: 60.5, domain: "xn--bcher-kva.example" }
    ])
  })

  test("is a JSON array as well", () => {
    const domains = [{ authority: 78, domain: "news.example.org" }]
    expect(Either.getOrThrow(ReferringDomains.read(` ${JSON.stringify(domains)}`))).toEqual(domains)
  })

  test.each([
    ["", "it has no domains"],
    ["[]", "it has no domains"],
    ["domain,authority\n", "it has no domains"],
    ["domain;authority\na.example;5\n", "line 1: the columns domain and authority are required"],
    ["domain,authority\na.example,5\nb.example,x\n", 'line 3: "x" is not an authority from 0 to 100'],
    ["domain,authority\na.example,\n", 'line 2: "" is not an authority from 0 to 100'],
    ["domain,authority\na.example,101\n", 'line 2: "101" is not an authority from 0 to 100'],
    ["domain,authority\na.example,5\nA.example.,6\n", "the domain a.example occurs twice"],
    ["domain,authority\nhttps://a.example/x,5\n", '"https://a.example/x" is not a domain name'],
    ["domain,authority\na.example/x,5\n", '"a.example/x" is not a domain name'],
    ["domain,authority\na b,5\n", '"a b" is not a domain name'],
    ['domain,authority\n"a.example,5\n', "line 2: a quote is never closed"]
  ])("%p is refused: %s", (text, expected) => {
    expect(reason(ReferringDomains.read(text))).toBe(expected)
  })

  test("of any text is read or refused, and never breaks", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => typeof reason(ReferringDomains.read(text)) === "string")
    )
  })
})

describe("a file of visibility", () => {
  test("is a JSON array of engines with one metric or both", () => {
    const text = JSON.stringify([
      { citation_rate: 31, engine: "one" },
      { citation_rate: null, engine: "two", sentiment: -100 }
    ])
    expect(Either.getOrThrow(VisibilityReading.read(text))).toEqual([
      { answers: null, cited: null, citation_rate: 31, engine: "one", sentiment: null },
      { answers: null, cited: null, citation_rate: null, engine: "two", sentiment: -100 }
    ])
  })

  test.each([
    ["[]", "it has no readings"],
    ['[{"engine":"one"}]', "the engine one has neither sentiment nor citation_rate"],
    ['[{"engine":"one","sentiment":1},{"engine":"one","sentiment":2}]', "the engine one occurs twice"]
  ])("%p is refused: %s", (text, expected) => {
    expect(reason(VisibilityReading.read(text))).toBe(expected)
  })

  test.each([
    '[{"engine":"","sentiment":1}]',
    '[{"engine":"a","sentiment":101}]',
    '[{"engine":"a","citation_rate":-1}]',
    "{}",
    "x"
  ])("%p is refused", (text) => {
    expect(reason(VisibilityReading.read(text))).not.toBe("accepted")
  })
})

describe("a movement", () => {
  test.each([
    [25.1, 30.1, 5],
    [30.1, 25.1, -5],
    [0, 4.999, null],
    [-2, 3, 5],
    [10, 10, null]
  ])("from %d to %d points is told as %p", (previous, current, told) => {
    expect(Option.getOrNull(VisibilityReading.movement(previous, current))).toBe(told)
  })

  test("from or to what was not measured is none", () => {
    expect(Option.isNone(VisibilityReading.movement(null, 50))).toBe(true)
    expect(Option.isNone(VisibilityReading.movement(50, null))).toBe(true)
  })
})
