import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { customerOf, html, site } from "../crawled.ts"

const it = suite(Server.layer)

const small = site({
  "/": html("Start", '<a href="/a">a</a> <a href="/gone">gone</a>'),
  "/a": html("A", '<a href="/">back</a>')
})

describe("the difference of two runs", () => {
  it("of an unchanged site is empty, and names what was repaired and what broke", function* () {
    const { pages, url } = yield* small
    const { account, run, send } = yield* customerOf(url)
    const first = yield* run()
    const alone = yield* send("GET", `/runs/${first.id}/diff`)
    expect([alone.status, alone.body.error?.code]).toEqual([409, "conflict"])

    const second = yield* run()
    const same = (yield* send("GET", `/runs/${second.id}/diff`)).body.data
    expect(same).toMatchObject({ against: first.id, pages: { added: [], changed: [], removed: [] }, run: second.id })
    expect([same.findings.new, same.findings.fixed, same.score.delta]).toEqual([[], [], 0])

    pages["/gone"] = html("Gone no more", '<a href="/">back</a>')
    pages["/a"] = html("A", '<a href="/">back</a> <a href="/lost">lost</a>')
    const third = yield* run()
    const changed = (yield* send("GET", `/runs/${third.id}/diff`)).body.data
    expect(changed.findings.fixed).toContainEqual(expect.objectContaining({ rule: "broken_link", url }))
    expect(changed.findings.new).toContainEqual(expect.objectContaining({ rule: "broken_link", url: `${url}a` }))
    expect(changed.dead_links.fixed).toMatchObject([{ linked_from: url, url: `${url}gone` }])

    const far = (yield* send("GET", `/runs/${third.id}/diff?against=${first.id}`)).body.data
    expect(far.against).toBe(first.id)

    const sql = yield* SqlClient.SqlClient
    const events = yield* sql<{ changes: unknown }>`
      SELECT body::json #> '{data,outcome,changes}' AS changes FROM events WHERE account_id = ${account} ORDER BY created_at`
    expect(events.map(({ changes }) => changes)).toEqual([
      null,
      { against: first.id, fixed: 0, new: 0, score_delta: 0 },
      {
        against: second.id,
        fixed: changed.findings.fixed.length,
        new: changed.findings.new.length,
        score_delta: changed.score.delta
      }
    ])
  })

  it("is told of the caller's own runs alone", function* () {
    const { url } = yield* small
    const [mine, other] = [yield* customerOf(url), yield* customerOf(url)]
    const [own, foreign] = [yield* mine.run(), yield* other.run()]
    const code = (path: string) => Effect.map(mine.send("GET", path), ({ body }) => body.error.code)
    expect(yield* code(`/runs/${foreign.id}/diff?against=${own.id}`)).toBe("not_found")
    expect(yield* code(`/runs/${own.id}/diff?against=${foreign.id}`)).toBe("not_found")
    expect(yield* code(`/runs/${own.id}/diff?against=last`)).toBe("validation_error")
  })
})
