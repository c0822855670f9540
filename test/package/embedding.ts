import { describe, expect } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as cluster from "../cluster.ts"
import { suite } from "../harness.ts"
import { node, started } from "./consumer.ts"

/** The last line of a program's output, which is JSON on success. */
export const said = ({ code, text }: { readonly code: number; readonly text: string }): unknown =>
  code === 0 ? JSON.parse(text.trim().split("\n").at(-1) ?? "") : text

/** Settings of the programs. */
export const local = {
  FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
  FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
}

/** A program of the folder that listens on a free port, until the scope ends; `heard` waits for a text in its output. */
const listening = (place: string, name: string) =>
  Effect.gen(function* () {
    const env = { ...process.env, ...local, DATABASE_URL: yield* cluster.databaseUrl, PORT: "0" }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.spawn([process.execPath, name], { cwd: place, env, stdout: "pipe" })),
      (child) =>
        Effect.promise(() => {
          child.kill("SIGTERM")
          return child.exited
        })
    )
    const reader = child.stdout.getReader()
    let text = ""
    const heard = async (what: RegExp): Promise<string> => {
      const found = what.exec(text)
      if (found !== null) return found[0]
      const { done, value } = await reader.read()
      if (done) throw new Error(text)
      text += new TextDecoder().decode(value)
      return heard(what)
    }
    return { base: yield* Effect.promise(() => heard(/http:\/\/[^\s"]+:\d+/)), heard, pid: child.pid }
  })

const post = (address: string, body: object, headers: Record<string, string> = {}) =>
  fetch(address, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
    method: "POST"
  })

const childrenOf = (pid: number) =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/status`, "utf8").includes(`PPid:\t${pid}\n`)
    } catch {
      return false
    }
  })

/** The examples that embed the packed package, in a folder where they are built. */
export const embedding = (place: () => string) => {
  const it = suite(cluster.layer)

  const withDatabase = (name: string) =>
    Effect.flatMap(cluster.databaseUrl, (DATABASE_URL) =>
      Effect.promise(() =>
        started([process.execPath, name], place(), { ...local, DATABASE_URL, FINDABLE_LOG_LEVEL: "error" })
      )
    )

  describe.skipIf(node === null)("programs that embed the packed package", () => {
    it("read Search Console files and import them", function* () {
      expect(said(yield* withDatabase("rankings.js"))).toMatchObject({ again: 0, seen: 2 })
    })

    it("publish events in their own transactions, which are delivered after the commit", function* () {
      const told = said(yield* withDatabase("events.js"))
      expect(told).toEqual({ isWhole: true, refused: "Left", valid: [true, true] })
    })

    it("serve the API below a prefix for their own callers, beside their own pages", function* () {
      const { base } = yield* listening(place(), "server.js")
      yield* Effect.promise(async () => {
        const ask = (path: string, cookie = "") => fetch(`${base}${path}`, { headers: { cookie } })
        expect(await (await ask("/")).text()).toBe("The agency")
        expect((await ask("/search/api/v1/projects")).status).toBe(401)
        const cookie = "session=known"
        const listed = await ask("/search/api/v1/projects", cookie)
        expect(await listed.json()).toMatchObject({ data: [], links: { self: `${base}/search/api/v1/projects` } })
        const made = await post(`${base}/search/api/v1/projects`, { url: "https://shop.example" }, { cookie })
        const location = made.headers.get("location") ?? ""
        expect([made.status, location.startsWith("/search/api/v1/projects/")]).toEqual([201, true])
      })
    })

    it("have the same account at each start", function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.all([listening(place(), "server.js"), listening(place(), "server.js")], { concurrency: 2 })
      const [row] = yield* sql<{ count: number }>`
        SELECT count(*)::int AS count FROM accounts WHERE name = 'the agency'`
      expect(row?.count).toBe(1)
    })

    it("run site health alone through their own client, with events in process and spans of their own tracer", function* () {
      const served: Array<string> = []
      const site = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            fetch: ({ url }) => {
              served.push(new URL(url).pathname)
              return new Response('<title>Shoes</title><a href="/a">a</a>', {
                headers: { "content-type": "text/html" }
              })
            },
            hostname: "127.0.0.1",
            port: 0
          })
        ),
        (server) => Effect.promise(() => server.stop(true))
      )
      const { base, heard, pid } = yield* listening(place(), "sitehealth.js")
      const project = yield* Effect.promise(async () => {
        const made = await post(`${base}/health/api/v1/projects`, { url: site.url.href })
        const { data } = JSON.parse(await made.text())
        await post(`${base}/health/api/v1/projects/${data.id}/site-health/runs`, {})
        return data.id
      })
      const event = JSON.parse(yield* Effect.promise(() => heard(/^\{.*audit\.completed.*\}$/m)))
      expect(event).toMatchObject({
        data: { project_id: project },
        requests: served.length,
        type: "audit.completed"
      })
      expect(served).toContain("/robots.txt")
      expect(event.spans).toEqual(
        expect.arrayContaining(["http.server POST", "Start.start", "run", "Outbound.exchange", "Accounts.findOrCreate"])
      )
      expect(childrenOf(pid)).toEqual([])
    })
  })
}
