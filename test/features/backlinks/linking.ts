import * as Effect from "effect/Effect"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

/** A site of a new account, and its owner's requests about backlinks. */
export const linked = (url?: string) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const { id: project } = yield* Server.projectOf(account, url)
    const path = `/api/v1/projects/${project}/backlinks`
    const get = (of = "", headers: Record<string, string> = {}) => Server.send("GET", `${path}${of}`, { headers, key })
    const post = (of: string, body?: string, headers: Record<string, string> = {}) =>
      Server.send("POST", `${path}${of}`, { body, headers, key })
    const ended = (id: string) =>
      Effect.map(
        until(get(`/imports/${id}`), ({ body }) => ["completed", "failed"].includes(body.data.status), "100 millis"),
        ({ body }) => body.data
      )
    /** Imports a file to its end, successful or not. */
    const imported = (file: string, query = "") =>
      Effect.flatMap(post(`/imports${query}`, file), ({ body }) => ended(body.data.id))
    return { account, ended, get, imported, key, path, post, project }
  })
