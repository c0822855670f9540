import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { inert } from "../../../src/features/interventions/Repository.ts"
import { suite } from "../../harness.ts"
import { change, connected, layerWith } from "./setting.ts"

const it = suite(layerWith(), { timeout: 60_000 })

/** What GitHub acts on, as its documentation says. */
const acts = [
  /(?:^|[^\w])@[a-z\d]/i,
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w.-]+\/[\w.-]+)?(?:#|GH-)\d/i,
  /#\d/,
  /\bGH-\d/i,
  /https?:\/\/\S+\/(?:issues|pull)\/\d/i,
  /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/i,
  /&#?\w+;/,
  /<[a-z!/]/i
]

const loud = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "@octocat",
        "@acme/team",
        "Fixes #1",
        "closes: acme/site#22",
        "RESOLVED gh-3",
        "fixes https://github.com/acme/site/issues/4",
        "https://github.example/acme/site/pull/5",
        "[skip ci]",
        "[CI skip]",
        "&#64;octocat",
        "fixes &num;1",
        "@<!-- -->octocat",
        "\\@octocat",
        "fixes GH\\-1"
      ),
      fc.string()
    )
  )
  .map((words) => words.join(" "))

describe("a text that goes to GitHub", () => {
  test("has nothing that GitHub acts on, and all of its words", () => {
    fc.assert(
      fc.property(loud, (text) => {
        const quiet = inert(text)
        expect(acts.filter((act) => act.test(quiet))).toEqual([])
        expect(quiet.replaceAll("\u200b", "")).toBe(text.replaceAll("\u200b", ""))
        expect(inert(quiet)).toBe(quiet)
      })
    )
  })

  it("is inert in title, body and commits of a change and of its rollback, and the title is one line", function* () {
    const { propose, refresh, repository, rollBack } = yield* connected()
    const loudest = "Fixes #1 for @octocat and closes acme/site#2 [skip ci]"
    const file = { content: "a", expected_sha: null, path: "a.txt" }
    const { id } = (yield* propose({
      changes: [change, file],
      summary: `${loudest}\rmore\n\nResolves GH-3 &#64;acme/team`
    })).body.data
    repository.merge(1)
    yield* refresh(id)
    yield* rollBack(id, { reason: loudest })
    const said = [...repository.pulls.flatMap(({ body, title }) => [title, body]), ...repository.messages]
    expect(said).toHaveLength(8)
    for (const text of said) expect(acts.filter((act) => act.test(text))).toEqual([])
    expect(repository.pulls[0]?.title.replaceAll("\u200b", "")).toBe(loudest)
    const long = "@a".repeat(250)
    const { pull_request } = (yield* propose({ changes: [{ ...file, path: "b.txt" }], summary: long })).body.data
    yield* rollBack((yield* propose({ changes: [{ ...file, path: "c.txt" }], summary: long })).body.data.id)
    expect(repository.pulls[pull_request.number - 1]?.title.length).toBeLessThanOrEqual(256)
  })
})
