import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { isSameSelection, matching, selection } from "../../../src/crawl/robots/Match.ts"
import { agents, bingbot, googlebot, parse } from "../../../src/crawl/robots/Parse.ts"

const read = (...lines: ReadonlyArray<string>) => parse(new TextEncoder().encode(lines.join("\n")))
const rule = (lines: ReadonlyArray<string>, tokens: ReadonlyArray<string>, path: string) =>
  matching(selection(read(...lines), tokens)).verdict(path).rule

describe("the groups of an agent", () => {
  const lines = [
    "User-agent: *",
    "Disallow: /a",
    "User-agent: msnbot",
    "Disallow: /b",
    "User-agent: Googlebot-News",
    "Disallow: /c"
  ]

  test("are those with exactly its name in any case, or else the default groups", () => {
    expect(rule(lines, googlebot.tokens, "/c")).toBeNull()
    expect(rule(lines, googlebot.tokens, "/a")).toEqual({ line: 2, text: "Disallow: /a", group: "*" })
    expect(rule([...lines, "User-agent: googleBOT", "Disallow: /d"], googlebot.tokens, "/a")).toBeNull()
    expect(rule([...lines, "User-agent: googleBOT", "Disallow: /d"], googlebot.tokens, "/d")?.group).toBe("googleBOT")
  })

  test("are for Bingbot its own, or else those of msnbot, or else the default groups", () => {
    expect(rule(lines, bingbot.tokens, "/b")?.group).toBe("msnbot")
    expect(rule(lines, bingbot.tokens, "/a")).toBeNull()
    expect(rule([...lines, "User-agent: bingbot", "Disallow: /e"], bingbot.tokens, "/b")).toBeNull()
    expect(rule(lines.slice(0, 2), bingbot.tokens, "/a")?.group).toBe("*")
  })

  test("are shared only by agents with the same names", () => {
    const robots = read("User-agent: GPTBot", "User-agent: CCBot", "Disallow: /", "User-agent: *", "Disallow: /a")
    const [gpt, cc, other, another] = ["GPTBot", "CCBot", "ClaudeBot", "PerplexityBot"].map((name) =>
      selection(robots, [name])
    )
    expect(isSameSelection(gpt ?? [], cc ?? [])).toBe(false)
    expect(isSameSelection(other ?? [], another ?? [])).toBe(true)
  })

  test("decide together like one group of all their rules, for any number of groups", () => {
    const pattern = fc.array(fc.constantFrom("/", "a", "b", "*", "$"), { maxLength: 5 }).map((parts) => parts.join(""))
    const rules = fc.array(fc.tuple(fc.constantFrom("Allow", "Disallow"), pattern), { minLength: 1, maxLength: 40 })
    const path = fc.array(fc.constantFrom("/", "a", "b"), { maxLength: 6 }).map((parts) => `/${parts.join("")}`)
    fc.assert(
      fc.property(rules, path, (list, asked) => {
        const lines = list.map(([key, value]) => `${key}: ${value}`)
        const one = matching(selection(read("User-agent: x", ...lines), ["x"]))
        const many = matching(selection(read(...lines.flatMap((line) => ["User-agent: x", line])), ["x"]))
        expect(many.verdict(asked).allowed).toBe(one.verdict(asked).allowed)
        expect(many.verdict(asked).rule?.text).toBe(one.verdict(asked).rule?.text)
        expect(many.cost(asked)).toBeGreaterThanOrEqual(one.cost(asked))
      })
    )
  })
})

test("the list of agents begins with Googlebot, which decides the results of pages, and has each name once", () => {
  expect(agents[0]).toBe(googlebot)
  expect(new Set(agents.map(({ name }) => name)).size).toBe(9)
  expect(agents.filter(({ kind }) => kind === "ai").map(({ name }) => name)).toEqual([
    "GPTBot",
    "OAI-SearchBot",
    "ClaudeBot",
    "PerplexityBot",
    "Google-Extended",
    "Applebot-Extended",
    "CCBot"
  ])
})
