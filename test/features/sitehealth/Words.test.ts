import { describe, expect } from "bun:test"
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as JSONSchema from "effect/JSONSchema"
import { RulesApi, SiteHealthApi } from "../../../src/features/sitehealth/Api.ts"
import {
  siteHealthCompleted,
  siteHealthFailed,
  siteHealthScoreDropped
} from "../../../src/features/sitehealth/Events.ts"
import { doneByReport, fixDirectives } from "../../../src/features/sitehealth/fixes/Fixes.ts"
import { SiteHealthResultsApi } from "../../../src/features/sitehealth/results/Api.ts"
import { SiteHealthSchedulesApi } from "../../../src/features/sitehealth/schedules/Api.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { strayWords } from "../../words.ts"
import { customerOf, html, site } from "./crawled.ts"

const it = suite(Server.layer)

/** The stray words of texts, each with its place. */
const stray = (texts: Iterable<readonly [place: string, text: string]>): ReadonlyArray<string> => [
  ...new Set([...texts].flatMap(([place, text]) => strayWords(text).map((word) => `${place}: ${word}: ${text}`)))
]

/** The summaries and descriptions of a document, with their paths. */
const described = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (Array.isArray(value)) return value.flatMap((each, index) => described(each, `${path}[${index}]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, own]) =>
    typeof own === "string"
      ? ["description", "summary"].includes(key)
        ? [[path, own] as const]
        : []
      : described(own, `${path}.${key}`)
  )
}

/** The sentences shared by prompts of all rooms, and descriptions of fields from other rooms: their own tests cover them. */
const frame = /^First .*|^Evidence\. .*|^Do not: .*?the crawler\./
const shared = /post\.parameters|\b(?:every|last_skipped|SkippedSlot|why_it_matters|SiteHealthFailure)\b/

/** A site that fails many checks. */
const faulty = site({
  "/": html("", '<a href="/gone">gone</a><a href="/a"></a><a href="/b">here</a><img src="/x.png"><h1>Two</h1>'),
  "/a": html("A", '<a href="/">home</a>', '<link rel="canonical" href="/gone"><meta name="robots" content="noindex">'),
  "/b": html("A", "<p>Short.</p>", '<link rel="canonical" href="b#x"><script type="application/ld+json">{,}</script>')
})

describe("the texts of site health use the words of the glossary:", () => {
  it("fixes with their prompts, from the API and from a report", function* () {
    const { url } = yield* faulty
    const { run, send } = yield* customerOf(url)
    const { id, result } = yield* run()
    const { body } = yield* send("GET", `/runs/${id}/fixes`)
    const fixes = [...body.data, ...fixDirectives(result, doneByReport("$FINDABLE_URL", "report.json"))]
    expect(body.data.length).toBeGreaterThan(10)
    const texts = fixes.flatMap(({ agent_prompt, human_summary, id, why_it_matters }) =>
      [...agent_prompt.split("\n"), human_summary, why_it_matters].map(
        (text: string) => [String(id), text.replace(frame, "")] as const
      )
    )
    expect(stray(texts)).toEqual([])
  })

  it("the list of checks", function* () {
    const { send } = yield* customerOf((yield* faulty).url)
    const { body } = yield* send("GET", "/rules")
    const texts = body.data.flatMap(({ fix, means, rule, title }: Record<string, string>) =>
      [fix, means, title].map((text) => [rule, text] as const)
    )
    expect(texts.length).toBeGreaterThan(300)
    expect(stray(texts)).toEqual([])
  })

  it("the contract and the events", function* () {
    const contract = OpenApi.fromApi(
      HttpApi.make("crawls").add(SiteHealthApi).add(RulesApi).add(SiteHealthResultsApi).add(SiteHealthSchedulesApi)
    )
    const data = [
      JSONSchema.make(siteHealthCompleted.data),
      JSONSchema.make(siteHealthFailed.data),
      JSONSchema.make(siteHealthScoreDropped.data)
    ]
    const events = [siteHealthCompleted, siteHealthFailed, siteHealthScoreDropped].map(({ description, type }) => ({
      [type]: { description }
    }))
    const texts = described([contract.paths, contract.components, contract.tags, data, events]).filter(
      ([place]) => !shared.test(place)
    )
    expect(texts.length).toBeGreaterThan(300)
    expect(stray(texts)).toEqual([])
  })

  it("errors", function* () {
    const { url } = yield* faulty
    const { project, run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const { body: recheck } = yield* send("POST", `/runs/${id}/verify`, { rules: ["broken_link"] })
    const runs = `/projects/${project.id}/site-health/runs`
    const texts: Array<readonly [string, string]> = []
    for (const [method, path, sent] of [
      ["GET", `/runs/${project.id}`],
      ["POST", `/runs/${id}/cancel`],
      ["GET", `/runs/${id}/diff`],
      ["GET", `/runs/${recheck.data.id}/diff`],
      ["POST", `/runs/${recheck.data.id}/verify`],
      ["GET", `/runs/${id}/fixes/fix_nothing`],
      ["POST", `/runs/${id}/verify`, { rules: ["nothing"] }],
      ["POST", `/runs/${id}/verify`, { rules: [] }],
      ["POST", runs, { url: "https://other.example/" }],
      ["POST", runs, { max_pages: 51 }],
      ["GET", `/projects/${project.id}/site-health/history?rule=nothing`],
      ["GET", `/runs/${id}/findings?rows=page`]
    ] as const) {
      const { body, status } = yield* send(method, path, sent)
      expect([path, status >= 400]).toEqual([path, true])
      const { details = [], message } = body.error
      const said: ReadonlyArray<{ readonly message: string }> = details.length === 0 ? [{ message }] : details
      texts.push(...said.map((each) => [path, each.message] as const))
    }
    expect(stray(texts)).toEqual([])
  })
})
