import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import type { Call } from "./files.ts"

type Numbers = { readonly impressions: number; readonly clicks: number; readonly position: number | null }

/** The API's response to a question. */
export interface Answer {
  readonly asked: Readonly<Record<string, string>>
  readonly rows: ReadonlyArray<Numbers & { readonly key: string }>
  readonly totals: {
    readonly clicks: number
    readonly impressions: number
    readonly ctr: number
    readonly position: number | null
  } | null
  readonly anonymised: object | null | undefined
}

const ended = (reply: { readonly status: number; readonly text: string }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (reply.status !== 202) return yield* Effect.dieMessage(`${reply.status}: ${reply.text}`)
    const { data } = JSON.parse(reply.text)
    const state = sql<{
      status: string
      error: unknown
    }>`SELECT status, error FROM files WHERE id = ${data.id}`
    const [last] = yield* until(state, ([row]) => row?.status === "completed" || row?.status === "failed", "10 millis")
    if (last?.status !== "completed") return yield* Effect.dieMessage(JSON.stringify(last?.error))
  })

/** A site with imports and reads, through the API over HTTP. */
export const site = Effect.gen(function* () {
  const { account } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  const { base } = yield* Server.TestServer
  let asked = 0
  let key = ""
  /** A key may send fifty requests a second. */
  const fresh = Effect.gen(function* () {
    if (asked % 40 === 0) key = yield* Server.keyWith(account, ["*"])
    asked += 1
  })

  const imported = ({ body, query }: Call) =>
    Effect.zipRight(
      fresh,
      Effect.promise(async () => {
        const url = new URL(`/api/v1/projects/${id}/rankings/imports?${query}`, base)
        const answer = await fetch(url, { body, headers: { authorization: `Bearer ${key}` }, method: "POST" })
        return { status: answer.status, text: await answer.text() }
      })
    ).pipe(Effect.flatMap(ended))

  /** All pages of a table, with its metadata. */
  const table = (question: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const rows: Array<Answer["rows"][number]> = []
      let path: string | undefined =
        `/api/v1/projects/${id}/performance?${new URLSearchParams({ limit: "40", ...question })}`
      let meta: Pick<Answer, "anonymised" | "totals"> = { anonymised: undefined, totals: null }
      while (path !== undefined) {
        yield* fresh
        const reply: Server.Reply = yield* Server.send("GET", path, { key })
        if (reply.status !== 200) return yield* Effect.dieMessage(`${path}: ${JSON.stringify(reply.body)}`)
        rows.push(...reply.body.data)
        meta = reply.body.meta
        path = reply.body.links.next
      }
      return { anonymised: meta.anonymised, asked: question, rows, totals: meta.totals } satisfies Answer
    })

  /** The list of keywords, by query and page. */
  const keywords = Effect.gen(function* () {
    yield* fresh
    const reply = yield* Server.send("GET", `/api/v1/keywords?site_id=${id}`, {
      headers: { accept: "application/x-ndjson" },
      key
    })
    const lines = typeof reply.body === "string" ? reply.body.trim().split("\n") : [JSON.stringify(reply.body)]
    return lines
      .filter((line) => line !== "" && line !== '""')
      .map((line): Record<string, unknown> => JSON.parse(line))
      .map(({ id: _, recorded_at: __, site_id: ___, ...record }) => record)
      .sort((a, b) => (`${a.query}\0${a.page_path}` < `${b.query}\0${b.page_path}` ? -1 : 1))
  })

  return { imported, keywords, table }
})

/** The questions for all sites. */
export const questions = (from: string, to: string): ReadonlyArray<Readonly<Record<string, string>>> => {
  const range = { end: to, start: from }
  const filters = [
    {},
    { device: "MOBILE" },
    { country: "deu" },
    { country: "usa", device: "DESKTOP" },
    { page_path: "/a" }
  ]
  return ["date", "page", "device", "country", "query"].flatMap((by) =>
    filters.map((filter): Readonly<Record<string, string>> => ({ by, ...range, ...filter }))
  )
}
