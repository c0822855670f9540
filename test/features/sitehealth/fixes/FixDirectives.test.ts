import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import type { Finding } from "../../../../src/crawl/report/Finding.ts"
import { catalogue } from "../../../../src/crawl/rules/Catalogue.ts"
import { FixDirective } from "../../../../src/features/sitehealth/Domain.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { customerOf, html, site } from "../crawled.ts"

const it = suite(Server.layer)

const small = site({
  "/": html("Start", '<a href="/a">a</a> <a href="/gone">gone</a>'),
  "/a": html("A", '<a href="/">back</a>')
})

describe("the fix directives of a crawl", () => {
  it("name each issue once, worst first, with its URLs in the evidence and a measurable end", function* () {
    const { url } = yield* small
    const { project, run, send } = yield* customerOf(url)
    const { id, result } = yield* run()
    const { body, status } = yield* send("GET", `/runs/${id}/fixes`)
    expect(status).toBe(200)
    const directives = yield* Schema.decodeUnknown(Schema.Array(FixDirective))(body.data)
    const failing = result.findings.filter((finding: Finding) => finding.status === "fail")
    expect(directives.map((fix) => String(fix.id)).toSorted()).toEqual(
      failing.map(({ rule }: Finding) => `fix_${rule}`).toSorted()
    )
    const order = directives.map(({ severity }) => ["critical", "warning", "info"].indexOf(severity))
    expect(order).toEqual(order.toSorted())
    const broken = directives.find((fix) => fix.id === "fix_broken_link")
    expect(broken).toMatchObject({ category: "links", severity: "critical" })
    expect(broken?.human_summary).not.toContain(url)
    const prompt = broken?.agent_prompt ?? ""
    expect(prompt).toStartWith("First check this issue against the current code.")
    expect(prompt).toContain(`<evidence>\n- ${url} | `)
    expect(prompt).toContain(`/projects/${project.id}/site-health/runs`)
    expect(prompt).toContain(`against=${id}`)
    expect(prompt).toContain(`POST $FINDABLE_URL/api/v1/runs/${id}/verify with {"rules":["broken_link"]}`)
    expect(prompt).toContain('| place: main | markup: <a href="/gone">gone<\\/a>')
    expect(
      (yield* Server.send("GET", `/api/v1/runs/${id}/fixes`, { key: (yield* Server.customer()).key })).status
    ).toBe(404)
  })
})

test("every check of the catalogue has texts and guidance of its own for a directive", () => {
  const guided = catalogue.flatMap(({ guidance, id }) => (guidance === undefined ? [] : [{ id, ...guidance }]))
  expect(guided.map(({ id }) => id)).toEqual(catalogue.map(({ id }) => id))
  for (const { fix, id, means, source } of catalogue) {
    expect({ id, said: [fix, means, source].every((text) => text.length > 5) }).toEqual({ id, said: true })
  }
  const sentence = /^[A-Z].*[^ ][.?]$|^[A-Z].*\.$/
  for (const { find, goal, id, never, steps, why } of guided) {
    const said = {
      find: sentence.test(find),
      goal: /^[A-Z].*[^.]$/.test(goal),
      never: /^[a-z].*[^.]$/.test(never),
      steps: steps.length >= 2 && steps.every((step) => sentence.test(step)) && new Set(steps).size === steps.length,
      why: sentence.test(why)
    }
    expect({ id, ...said }).toEqual({ id, find: true, goal: true, never: true, steps: true, why: true })
  }
  const goals = guided.map(({ goal }) => goal)
  expect(new Set(goals).size).toBe(goals.length)
})
