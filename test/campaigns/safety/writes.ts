import { createServer } from "node:net"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { blobOf, serve as gitHub } from "../../features/interventions/github.ts"
import { access, serve as wordPress } from "../../features/interventions/wordpress.ts"
import { insider } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { type Node, node, until } from "../node.ts"
import type { SafetyCase } from "../safety.ts"

const scopes = ["*", "interventions:read", "interventions:write"]

const page = (status: number, text = "<h1>Firewall</h1>") =>
  new Response(text, { headers: { "content-type": "text/html" }, status })

/** Responses in place of the response to a write. */
const strange: Readonly<Record<string, (answer: Response) => Response | Promise<Response>>> = {
  "a PHP notice before the JSON": async (answer) => page(200, `<b>Notice</b>: x\n${await answer.text()}`),
  "201 OK": () => new Response("OK", { status: 201 }),
  "204": () => new Response(null, { status: 204 }),
  "an empty list": () => Response.json([]),
  "400 as a page": () => page(400),
  "403 as a page": () => page(403),
  "502 as a page": () => page(502),
  "an answer after the time-out": async (answer) => {
    await Bun.sleep(22_000)
    return answer
  }
}

/** A proxy that passes requests on, and closes the connection of a write instead of responding. */
const cutting = (to: string) => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", async (bytes) => {
      const text = bytes.toString()
      const [method = "", path = ""] = text.split(" ", 2)
      const [head = "", body = ""] = text.split("\r\n\r\n", 2)
      const headers = Object.fromEntries(
        [...head.matchAll(/^(authorization|content-type): (.*?)\r?$/gim)].map(([, name = "", value = ""]) => [
          name,
          value
        ])
      )
      const answer = await fetch(`${to}${path}`, { headers, method, ...(method === "POST" ? { body } : {}) })
      if (method === "POST") return socket.destroy()
      const whole = new Uint8Array(await answer.arrayBuffer())
      const kept = ["content-type", "allow"].flatMap((name) => {
        const value = answer.headers.get(name)
        return value === null ? [] : [`${name}: ${value}\r\n`]
      })
      socket.write(`HTTP/1.1 ${answer.status} x\r\n${kept.join("")}content-length: ${whole.length}\r\n\r\n`)
      return socket.write(whole)
    })
  })
  return new Promise<{ close: () => void; url: string }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      resolve({ close: () => server.close(), url: `http://127.0.0.1:${port}` })
    })
  })
}

/**
 * Changes in a WordPress and a GitHub whose responses to writes get lost, come late or are wrong, with workers that are killed while a write is on its way:
 * each write arrives once, and the worker finds out its result by reading.
 */
export const writes: SafetyCase = async () => {
  const laws: Array<Law> = []
  const installed = await installation({ scale: 1, seconds: 0 })
  const scope = await Effect.runPromise(Scope.make())
  const opened = <A>(serving: Effect.Effect<A, never, Scope.Scope>) =>
    Effect.runPromise(Effect.provideService(serving, Scope.Scope, scope))
  try {
    const { database } = installed
    const github = await opened(gitHub())
    const start = () =>
      node({ DATABASE_URL: database.url(), FINDABLE_GITHUB_POLL: "1 second", FINDABLE_GITHUB_URL: github.url })
    let serving: Node = await start()
    installed.onClose(() => serving.end("SIGKILL"))
    const { account, key } = await insider(database, scopes)
    const ask = (method: string, path: string, body?: unknown) =>
      serving.ask(method, `/api/v1/projects/${path}`, { body, key })
    const connected = async (url: string, connector: string, credentials: object) => {
      const { body } = await serving.ask("POST", "/api/v1/projects", { body: { url }, key })
      await ask("PUT", `${body.data.id}/connectors/${connector}`, credentials)
      return String(body.data.id)
    }
    const events = async (id: string) => {
      const rows = await database.query(
        "SELECT type FROM events WHERE account_id = $1 AND body::jsonb #>> '{data,id}' = $2 ORDER BY created_at",
        [account, id]
      )
      return rows.map(({ type }) => String(type).replace("intervention.", "")).join(", ")
    }
    const tell = (law: string, holds: boolean, found: unknown) => {
      laws.push({ found: JSON.stringify(found), holds, law })
    }

    for (const [what, garbled] of Object.entries(strange)) {
      const site = await opened(wordPress())
      const project = await connected(site.url, "wordpress", { ...access, url: site.url })
      site.garble(garbled)
      const change = { connector: "wordpress", post_id: 4, post_type: "posts", title: "Newer" }
      const { body, status } = await ask("POST", `${project}/interventions`, change)
      const id = String(body.data?.id)
      const standing = async () => (await ask("GET", `${project}/interventions/${id}`)).body.data?.status
      await until(async () => (await standing()) !== "proposed", 60, 500).catch(() => 0)
      const found = [status, await standing(), site.writes().length, site.post.title, await events(id)]
      tell(
        `WordPress: a write answered with ${what} is sent once, and deployed`,
        JSON.stringify(found) === JSON.stringify([201, "deployed", 1, "Newer", "deployed"]),
        found
      )
    }

    const behind = await opened(wordPress())
    const proxy = await cutting(behind.url)
    const cut = await connected(proxy.url, "wordpress", { ...access, url: proxy.url })
    behind.move(`${proxy.url}/a-post`)
    const after = await ask("POST", `${cut}/interventions`, {
      connector: "wordpress",
      post_id: 4,
      post_type: "posts",
      title: "Newer"
    })
    proxy.close()
    const met = [after.status, after.body.data?.status, behind.writes().length]
    tell("WordPress: a write whose connection ends is sent once, and deployed", `${met}` === "201,deployed,1", met)

    const site = await opened(wordPress())
    const project = await connected(site.url, "wordpress", { ...access, url: site.url })
    let isKilled = false
    site.garble(async (answer) => {
      if (isKilled) return answer
      isKilled = true
      await serving.end("SIGKILL")
      return answer
    })
    await ask("POST", `${project}/interventions`, {
      connector: "wordpress",
      post_id: 4,
      post_type: "posts",
      title: "Newer"
    })
    serving = await start()
    const newest = async () => (await ask("GET", `${project}/interventions`)).body.data?.[0]
    await until(async () => (await newest())?.status !== "proposed", 60, 500).catch(() => 0)
    const { id, status } = await newest()
    const killed = [status, site.writes().length, await events(id)]
    tell(
      "WordPress: a worker that is killed after a write is followed by one that reads",
      `${killed}` === "deployed,1,deployed",
      killed
    )

    for (const nth of [1, 2, 3]) {
      const repository = github.repository()
      const shop = await connected(`http://shop-${nth}.example`, "github", { token: "token" })
      let seen = 0
      repository.garble((method) => {
        if (method !== "GET" && ++seen === nth) serving.child.kill("SIGKILL")
        return undefined
      })
      await ask("POST", `${shop}/interventions`, {
        changes: [{ content: "New", expected_sha: blobOf("<title>Old</title>\n"), path: "index.html" }],
        connector: "github",
        repo: repository.name,
        summary: "x"
      })
      serving = await start()
      const made = async () => (await ask("GET", `${shop}/interventions`)).body.data?.[0]
      await until(async () => (await made())?.pull_request !== null, 60, 500).catch(() => 0)
      const proposed = [(await made())?.status, repository.pulls.length, repository.writes().length]
      tell(
        `GitHub: a worker that is killed after write ${nth} of 3 is followed by one that goes on`,
        `${proposed}` === "proposed,1,3",
        proposed
      )
    }

    const repository = github.repository()
    const shop = await connected("http://shop.example", "github", { token: "token" })
    repository.garble((method) => (method === "GET" ? undefined : page(502)))
    const proposal = await ask("POST", `${shop}/interventions`, {
      changes: [{ content: "New", expected_sha: blobOf("<title>Old</title>\n"), path: "index.html" }],
      connector: "github",
      repo: repository.name,
      summary: "x"
    })
    const there = [proposal.status, proposal.body.data?.status, repository.pulls.length, repository.writes().length]
    tell(
      "GitHub: writes answered with 502 as a page are sent once, and the pull request is open",
      `${there}` === "201,proposed,1,3",
      there
    )
    return laws
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await installed.close()
  }
}
