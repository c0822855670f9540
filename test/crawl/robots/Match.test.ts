import { describe, expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { crawlDelay, match, RuleIndex } from "../../../src/crawl/robots/Match.ts"
import { compile, parse, prefixOf, type RobotsTxt } from "../../../src/crawl/robots/Parse.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (...lines: ReadonlyArray<string>) => parse(bytes(lines.join("\n")))

const allows = (robots: RobotsTxt, path: string, token = "FindableBot") => match(robots, token, path).allowed

describe("the group of an agent", () => {
  test("consists of all groups with its name, anywhere in the file", () => {
    const robots = read(
      "User-agent: FindableBot",
      "Disallow: /a",
      "User-agent: x",
      "Disallow: /",
      "User-agent: findablebot",
      "Disallow: /b"
    )
    expect([allows(robots, "/a"), allows(robots, "/b"), allows(robots, "/c")]).toEqual([false, false, true])
  })

  test("is the default group only if no group has its name", () => {
    const robots = read("User-agent: *", "Disallow: /", "User-agent: FindableBot", "Disallow: /a")
    expect([allows(robots, "/b"), allows(robots, "/b", "OtherBot")]).toEqual([true, false])
  })

  test("allows everything if it has no rules", () => {
    expect(allows(read("User-agent: *", "Disallow: /", "User-agent: FindableBot"), "/b")).toBe(true)
  })

  test("includes rules after sitemaps, delays and unknown lines between agents", () => {
    for (const line of ["Sitemap: https://a.example/s.xml", "Crawl-delay: 3", "Nonsense: 1", "", "# note"]) {
      expect(allows(read("User-agent: FindableBot", line, "User-agent: other", "Disallow: /"), "/x")).toBe(false)
    }
  })

  test("is explained when other lines stand between its agents", () => {
    const why = (...lines: ReadonlyArray<string>) => match(read(...lines), "x", "/").rule?.joined
    expect(why("User-agent: *", "Crawl-delay: 10", "", "# Bad bots", "User-agent: BadBot", "Disallow: /")).toBe(
      'Google reads lines 1 to 6 as one group of *, BadBot: line 2 "Crawl-delay: 10" does not end the group'
    )
    expect(why("User-agent: *", "Sitemap: https://a.example/s.xml", "Alow: /", "User-agent: b", "Disallow: /")).toBe(
      'Google reads lines 1 to 5 as one group of *, b: line 2 "Sitemap: https://a.example/s.xml", line 3 "Alow: /" do not end the group'
    )
    expect(why("user-agent: x", "  ", "user-agent: b", "Allow: /b", "Disallow: /")).toBe(
      "Google reads lines 1 to 5 as one group of x, b: line 2 (blank) does not end the group"
    )
    const many = ["a", "b", "c", "x", "d", "e", "f"].flatMap((name) => [`User-agent: ${name}`, "Crawl-delay: 1"])
    expect(why(...many, "Disallow: /")).toBe(
      'Google reads lines 1 to 15 as one group of a, b, c, x, 2 more, f: line 2 "Crawl-delay: 1", line 4 "Crawl-delay: 1", line 6 "Crawl-delay: 1" and 3 more do not end the group'
    )
  })

  test("is not explained when agents follow one another, or a rule ends the group", () => {
    for (const lines of [
      ["User-agent: *", "User-agent: b", "Crawl-delay: 5", "Disallow: /"],
      ["User-agent: *", "# other", "User-agent: b", "Disallow: /"],
      ["User-agent: *", "Crawl-delay: 5", "User-agent: *", "Disallow: /"],
      ["User-agent: *", "Disallow: /", "Crawl-delay: 5", "User-agent: b", "Disallow: /"]
    ]) {
      expect(match(read(...lines), "x", "/").rule).toEqual({
        line: lines.indexOf("Disallow: /") + 1,
        text: "Disallow: /",
        group: "*"
      })
    }
  })

  test("ends at an empty rule as at any other", () => {
    const robots = read("User-agent: *", "Crawl-delay: 10", "Disallow:", "User-agent: BadBot", "Disallow: /")
    expect([allows(robots, "/"), allows(robots, "/", "BadBot")]).toEqual([true, false])
  })

  test("does not include rules before the first agent", () => {
    expect(allows(read("Disallow: /", "User-agent: *", "Disallow: /a"), "/x")).toBe(true)
  })

  test("has a name that ends at the first character that is invalid in a product token", () => {
    const robots = read("User-agent: FindableBot/2.0 (+https://x)", "Disallow: /")
    expect([allows(robots, "/"), allows(robots, "/", "Findable")]).toEqual([false, true])
  })

  test("does not have an empty product token as its name", () => {
    expect(allows(read("User-agent: 1", "Disallow: /"), "/", "")).toBe(true)
  })
})

describe("the rule for a path", () => {
  test("is the longest matching pattern, and Allow in case of a tie", () => {
    const robots = read("User-agent: *", "Disallow: /shop", "Allow: /shop/open", "Disallow: /tie", "Allow: /tie")
    expect([allows(robots, "/shop/open/1"), allows(robots, "/shop/x"), allows(robots, "/tie")]).toEqual([
      true,
      false,
      true
    ])
  })

  test("is returned with its line as written, its number and the group's agent", () => {
    const robots = read("# rules", "User-agent: *", "", "  Disallow :  /private/*.pdf$   # not for you")
    expect(match(robots, "FindableBot", "https://a.example/private/x.pdf")).toEqual({
      allowed: false,
      rule: { line: 4, text: "Disallow :  /private/*.pdf$", group: "*" }
    })
    expect(match(robots, "FindableBot", "/private/x.pdf?q")).toEqual({ allowed: true, rule: null })
  })

  test("is the first of equal lines", () => {
    const robots = read("User-agent: *", "Disallow: /a", "Disallow: /a")
    expect(match(robots, "FindableBot", "/a").rule?.line).toBe(2)
  })

  test("is not an empty Disallow, which blocks nothing", () => {
    expect(allows(read("User-agent: *", "Disallow:"), "/")).toBe(true)
  })

  test("allows a directory if it allows its index page", () => {
    const robots = read("User-agent: *", "Allow: /dir/index.html", "Disallow: /")
    expect(["/dir/", "/dir/index.html", "/dir/index.htm", "/dir/x"].map((path) => allows(robots, path))).toEqual([
      true,
      true,
      false,
      false
    ])
  })

  test("is matched with the query string and without the fragment", () => {
    const robots = read("User-agent: *", "Disallow: /*?session=", "Disallow: /*top")
    expect(["/x?session=1", "/x#top", "/x"].map((path) => allows(robots, path))).toEqual([false, true, true])
    expect(allows(read("User-agent: *", "Disallow: /"), "https://a.example?q")).toBe(false)
  })

  test("compares escapes case-insensitively, and bytes above ASCII as escapes", () => {
    const robots = read("User-agent: *", "Disallow: /a%2fb", "Disallow: /ä")
    expect(["/a%2Fb", "/a%2fb", "/%C3%A4", "/a/b"].map((path) => allows(robots, path))).toEqual([
      false,
      false,
      false,
      true
    ])
  })
})

describe("the bytes of robots.txt", () => {
  const lineEndings = ["\n", "\r", "\r\n"]

  test("have lines that end with any line ending, and equal line numbers for all of them", () => {
    for (const end of lineEndings) {
      const robots = parse(bytes(["User-agent: *", "", "Disallow: /a", "Disallow: /b"].join(end)))
      expect(match(robots, "FindableBot", "/b").rule?.line).toBe(4)
    }
  })

  test("may begin with a byte order mark, whole or cut, which is skipped at the start only", () => {
    for (const mark of [[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef], []]) {
      expect(allows(parse(Uint8Array.of(...mark, ...bytes("User-agent: *\nDisallow: /"))), "/")).toBe(false)
    }
    const late = Uint8Array.of(...bytes("User-agent: *\n"), 0xef, 0xbb, 0xbf, ...bytes("Disallow: /"))
    expect(allows(parse(late), "/")).toBe(true)
  })

  test("are decoded as UTF-16 if they begin with its byte order mark", () => {
    const text = "\uFEFFUser-agent: *\nDisallow: /"
    const littleEndian = Uint8Array.from(
      [...text].flatMap((char) => [char.charCodeAt(0) & 255, char.charCodeAt(0) >> 8])
    )
    const bigEndian = Uint8Array.from([...text].flatMap((char) => [char.charCodeAt(0) >> 8, char.charCodeAt(0) & 255]))
    expect([allows(parse(littleEndian), "/"), allows(parse(bigEndian), "/")]).toEqual([false, false])
  })

  test("count up to 500 KiB", () => {
    const filler = `${"# comment\n".repeat(51_200)}`
    const robots = parse(bytes(`User-agent: *\nDisallow: /a\n${filler}Disallow: /b\n`))
    expect([robots.truncated, allows(robots, "/a"), allows(robots, "/b")]).toEqual([true, false, true])
  })

  test("count up to 16,663 in a line", () => {
    const long = `/${"a".repeat(17_000)}`
    const robots = read("User-agent: *", `Disallow: ${long}`)
    const kept = 2083 * 8 - 1 - "Disallow: ".length
    expect([allows(robots, long.slice(0, kept)), allows(robots, long.slice(0, kept - 1))]).toEqual([false, true])
  })

  test("may have misspelled keys, a missing colon and blanks around the key", () => {
    const spellings = [
      "dissallow: /",
      "disalow: /",
      "diasllow: /",
      "disallaw: /",
      "disallow /",
      "Disallow : /",
      "DISALLOW:/"
    ]
    for (const line of spellings) expect([line, allows(read("user agent: *", line), "/")]).toEqual([line, false])
    expect(allows(read("useragent: *", "this disallow /"), "/")).toBe(true)
  })

  test("name sitemaps in order, in any group", () => {
    const robots = read("Sitemap: https://a.example/1.xml", "User-agent: x", "site-map: /2.xml", "Sitemap /3.xml")
    expect(robots.sitemaps).toEqual(["https://a.example/1.xml", "/2.xml", "/3.xml"])
  })

  test("can be parsed for any bytes, and matched with any string", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (file, token, url) => {
        const verdict = match(parse(file), token, url)
        return typeof verdict.allowed === "boolean"
      })
    )
  })
})

describe("the crawl delay", () => {
  test("comes from the lines of the agent, not from those of another agent in the same group", () => {
    const robots = read(
      "User-agent: a",
      "Crawl-delay: 1",
      "User-agent: b",
      "Crawl-delay: 2.5",
      "User-agent: c",
      "Disallow: /x"
    )
    expect(["a", "B", "c"].map((token) => crawlDelay(robots, token))).toEqual([1, 2.5, null])
    expect(allows(robots, "/x", "a")).toBe(false)
  })

  test("applies to all agents of a group, also after the rules", () => {
    const robots = read("User-agent: a", "User-agent: b", "Disallow: /x", "Crawl-delay: 4")
    expect([crawlDelay(robots, "a"), crawlDelay(robots, "b")]).toEqual([4, 4])
  })

  test("comes from the default group only for agents without a group", () => {
    const robots = read("User-agent: *", "Crawl-delay: 9", "Disallow: /x", "User-agent: a", "Disallow: /y")
    expect([crawlDelay(robots, "z"), crawlDelay(robots, "a")]).toEqual([9, null])
  })

  test("takes memory in proportion to the agents, not to the lines", () => {
    const agents = Array.from({ length: 18_000 }, () => "User-agent:a")
    const robots = read(...agents, ...Array.from({ length: 17_000 }, (_, at) => `Crawl-delay:${at % 100}`))
    expect(robots.crawlDelays).toHaveLength(1)
    expect(crawlDelay(robots, "a")).toBe(99)
  })

  test("is the longest of several, and absent when it is no number", () => {
    expect(crawlDelay(read("User-agent: *", "Crawl-delay: 1", "Crawl-delay: 7", "Crawl-delay: 3"), "a")).toBe(7)
    expect(crawlDelay(read("User-agent: *", "Crawl-delay: soon"), "a")).toBeNull()
  })
})

/** The meaning of a pattern, by dynamic programming over every pair of positions. */
const means = (pattern: string, path: string): boolean => {
  const anchored = pattern.endsWith("$")
  const body = anchored ? pattern.slice(0, -1) : pattern
  let reached = new Set([0])
  for (const char of body) {
    const next = new Set<number>()
    for (const at of reached) {
      if (char === "*") for (let to = at; to <= path.length; to++) next.add(to)
      else if (path[at] === char) next.add(at + 1)
    }
    reached = next
  }
  return anchored ? reached.has(path.length) : reached.size > 0
}

const small = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((chars) => chars.join(""))

describe("a path pattern", () => {
  test("matches exactly as * and $ are defined, for all patterns and paths", () => {
    fc.assert(
      fc.property(small("ab/*$", 10), small("ab/$", 14), (pattern, path) => {
        expect([pattern, path, compile(pattern)(path)]).toEqual([pattern, path, means(pattern, path)])
      }),
      { numRuns: 5000 }
    )
  })

  test("treats a $ before its end as a character", () => {
    expect([compile("/a$b")("/a$bc"), compile("/a$b")("/ab")]).toEqual([true, false])
  })

  test("does not overlap its first and last literal", () => {
    expect([compile("/aba*ba$")("/aba"), compile("/aba*ba$")("/ababa")]).toEqual([false, true])
  })

  test("is matched in one pass over the path, also if it was designed to be slow", () => {
    const path = `/${"a".repeat(2000)}`
    const hostile = ["*a".repeat(8000), `${"*a".repeat(1000)}b`, `/${"a*".repeat(999)}aaab$`, `${"*".repeat(16_000)}b`]
    for (const pattern of hostile) {
      const matches = compile(pattern)
      const searches = spyOn(String.prototype, "indexOf")
      expect(matches(path)).toBe(false)
      const from = searches.mock.calls.map(([, at]) => at ?? 0)
      searches.mockRestore()
      // Each literal is searched once, after the previous one.
      expect(from.length).toBeLessThanOrEqual(pattern.split("*").length)
      expect(from).toEqual(from.toSorted((a, b) => a - b))
    }
  })
})

const letters = (...all: ReadonlyArray<string>) =>
  fc.array(fc.constantFrom(...all), { maxLength: 8 }).map((parts) => parts.join(""))

const indexed = (pattern: string) => ({ matches: compile(pattern), pattern, prefix: prefixOf(pattern) })

describe("the index of robots rules", () => {
  test("finds the same rule as a comparison with all of them", () => {
    fc.assert(
      fc.property(
        fc.array(letters("/", "a", "b", "*", "$"), { maxLength: 30 }),
        letters("/", "a", "b", "$"),
        (patterns, path) => {
          const rules = patterns.map(indexed)
          expect(new RuleIndex(rules).first(path)).toBe(rules.find(({ matches }) => matches(path)))
        }
      ),
      { numRuns: 2_000 }
    )
  })

  test("compares a path only with rules that have its literal prefix", () => {
    const rules = Array.from({ length: 20_000 }, (_, at) => indexed(`/directory-${at}/*.html$`))
    expect(new RuleIndex(rules).cost("/directory-7/x.html")).toBe("/directory-7/x.html".length)
    expect(new RuleIndex(rules).cost("/elsewhere")).toBe(0)
  })
})
