import { describe, expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import type { FixDirective } from "../../../src/features/audits/Domain.ts"
import { plain } from "../../../src/features/audits/report/ReadLighthouse.ts"
import { hostile } from "./hostile.ts"
import { assessed, check, report, table } from "./reports.ts"

/** A page that has one string everywhere a page can put one. */
const pageOf = (text: string) => {
  const node = { type: "node", selector: text, snippet: text, nodeLabel: text, path: text, explanation: text }
  const location = { type: "source-location", url: text, line: 3, column: 4 }
  const rows = {
    type: "table",
    headings: [{ key: "url", label: text }],
    items: [{ url: text, wastedMs: 5, totalBytes: 7 }]
  }
  const failing = (details: Record<string, unknown>) =>
    check(0, { title: text, description: text, displayValue: text, details })
  const chain = { url: text, isLongest: true, children: { b: { url: text, children: {} } } }
  const json = report(
    {
      performance: {
        "render-blocking-insight": failing(rows),
        "network-dependency-tree-insight": failing({
          type: "list",
          items: [{ type: "list-section", title: text, value: { type: "network-tree", chains: { a: chain } } }]
        }),
        "document-latency-insight": failing({ type: "checklist", items: { [text]: { label: text, value: false } } }),
        "lcp-breakdown-insight": failing({ type: "list", items: [rows, node] })
      },
      accessibility: { "image-alt": failing(table({ node }, { node })), "invented-rule": failing(table({ node })) },
      "best-practices": {
        "errors-in-console": failing(table({ source: text, description: text, sourceLocation: location })),
        deprecations: failing(table({ value: { type: "code", value: text }, source: location }, { value: text }))
      },
      seo: { canonical: failing(table({ [text]: text, href: { type: "link", text, url: text } })) }
    },
    {
      requestedUrl: `https://shop.example/${text}`,
      fetchTime: text,
      userAgent: text,
      environment: { benchmarkIndex: text }
    }
  )
  return assessed(json)
}

const block = /\n<evidence>\n([\s\S]*)\n<\/evidence>\n/
const outside = ({ agent_prompt }: FixDirective) => agent_prompt.replace(block, "\n(evidence)\n")
const visible = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u

/** What the same findings say on a page that means well; empty rows aside, nothing outside the block may differ. */
const harmless = pageOf("main")

const expectContained = (text: string) => {
  const { fixes } = pageOf(text)
  expect(fixes.map(({ human_summary }) => human_summary)).toEqual(
    harmless.fixes.map(({ human_summary }) => human_summary)
  )
  expect(fixes.map(({ why_it_matters }) => why_it_matters)).toEqual(harmless.fixes.map((fix) => fix.why_it_matters))
  expect(fixes.map(outside)).toEqual(harmless.fixes.map(outside))
  for (const { agent_prompt } of fixes) {
    const evidence = block.exec(agent_prompt)?.[1] ?? ""
    expect(evidence).not.toMatch(/[<＜‹]\s*[/／]|<\s*(evidence|\|)|`|~~~/i)
    const lines = evidence.split("\n")
    expect(lines.length).toBeLessThanOrEqual(11)
    for (const line of lines) {
      expect(line).toStartWith("- ")
      expect(line.length).toBeLessThanOrEqual(602)
      expect(line).toMatch(visible)
    }
    expect(agent_prompt.length).toBeLessThan(9_000)
  }
}

describe("a hostile page", () => {
  for (const [name, text] of hostile)
    test(`cannot leave the evidence block with ${name}`, () => {
      expectContained(text)
    })

  test("cannot leave it with any string at all", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(
        "<",
        "/",
        "</",
        "evidence",
        ">",
        " ",
        "\n",
        "`",
        "~~~",
        "|",
        "\u200b",
        "\u2028",
        "＜",
        "\u001b[1m"
      )
    )
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""))
    fc.assert(fc.property(text, expectContained), { numRuns: 150 })
  })

  test("cannot make the API's own fields unreadable either", () => {
    const { diagnostics } = pageOf("div > ".repeat(180_000)).report.core_web_vitals
    expect(diagnostics.lcp_element_selector?.length).toBe(1_000)
    expect(diagnostics.render_blocking_resources[0]?.url.length).toBe(2_048)
    expect(pageOf("a\u202e\nb").report.core_web_vitals.diagnostics.lcp_element_selector).toBe("a b")
  })

  test("is read to a bounded length, however long its strings are", () => {
    const cleaned = spyOn(String.prototype, "replace")
    pageOf("\n\u001b[".repeat(1_000_000))
    const lengths = cleaned.mock.contexts.map((text) => String(text).length)
    cleaned.mockRestore()
    expect(lengths.length).toBeGreaterThan(10)
    expect(Math.max(...lengths)).toBeLessThan(100_000)
  })

  test("cannot bury the reader under nested details", () => {
    let looks = 0
    const nested = (depth: number): unknown => ({
      type: "list",
      get items() {
        looks += 1
        return depth === 0 ? [] : Array.from({ length: 30 }, () => nested(depth - 1))
      }
    })
    const details = { type: "list", items: Array.from({ length: 30 }, () => nested(3)) }
    const { fixes } = assessed(report({ seo: { canonical: check(0, { details }) } }))
    expect(fixes).toHaveLength(1)
    // There are 27,930 lists in it.
    expect(looks).toBeLessThan(5000)
  })
})

describe("plain text", () => {
  test("is one visible line within its bound, and cleaning it twice changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = plain(text, max)
        expect(line.length).toBeLessThanOrEqual(max)
        expect(line).toMatch(visible)
        expect(plain(line, max)).toBe(line)
      })
    )
  })

  test("keeps words, marks and emoji of all languages", () => {
    const text = "Größe 日本語 עברית हिन्दी 🙂 naïve > a.b#c[href='/x']"
    expect(plain(text, 100)).toBe(text)
  })
})
