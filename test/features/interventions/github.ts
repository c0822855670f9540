import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"

/** The blob of a text, as git computes it. */
export const blobOf = (text: string) => {
  const bytes = Buffer.from(text)
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

/** Another response instead of the usual one, or undefined for the usual one. */
type Trouble = (method: string, path: string) => Response | undefined

interface Pull {
  number: number
  head: string
  base: string
  title: string
  body: string
  state: "open" | "closed"
  merged_at: string | null
}

/** Response bodies of the API; a suite with the documented ones adds their other fields. */
export type Dress = (kind: "repository" | "ref" | "file" | "written" | "pull", fields: object) => object

const bare: Dress = (_, fields) => fields

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { headers, status })

export const refusal = (status: number, message: string, headers?: Record<string, string>) =>
  json(status, { documentation_url: "https://docs.github.com/rest", message, status: String(status) }, headers)

/** A repository whose branches are snapshots of files. */
const make = (repo: string, dress: Dress) => {
  const commits = new Map<string, ReadonlyMap<string, string>>()
  const branches = new Map<string, string>()
  const pulls: Array<Pull> = []
  const asked: Array<string> = []
  const messages: Array<string> = []
  const tokens = new Set<string>()
  let trouble: Trouble = () => undefined
  let garbled: Trouble = () => undefined
  let about: object = { default_branch: "main" }

  const commit = (files: ReadonlyMap<string, string>) => {
    const sha = createHash("sha1")
      .update(`${commits.size}${JSON.stringify([...files])}`)
      .digest("hex")
    commits.set(sha, files)
    return sha
  }
  const filesAt = (ref: string) => commits.get(branches.get(ref) ?? ref)
  const change = (branch: string, path: string, content: string | undefined) => {
    const files = new Map(filesAt(branch) ?? [])
    if (content === undefined) files.delete(path)
    else files.set(path, content)
    branches.set(branch, commit(files))
  }
  branches.set("main", commit(new Map([["index.html", "<title>Old</title>\n"]])))

  const shown = ({ base, body, head, merged_at, number, state, title }: Pull, isListed = false) =>
    dress("pull", {
      base: { ref: base },
      body,
      head: { ref: head, sha: branches.get(head) ?? "gone" },
      html_url: `https://github.example/${repo}/pull/${number}`,
      merged_at,
      number,
      state,
      title,
      ...(isListed ? {} : { merged: merged_at !== null })
    })

  const contents = async (request: Request, path: string, url: URL) => {
    if (request.method === "GET") {
      const text = filesAt(url.searchParams.get("ref") ?? "main")?.get(path)
      if (text === undefined) return refusal(404, "Not Found")
      const content = Buffer.from(text).toString("base64").replace(/.{60}/g, "$&\n")
      return json(
        200,
        dress("file", { content, encoding: "base64", path, sha: blobOf(text), size: text.length, type: "file" })
      )
    }
    const { branch, content, message, sha } = Object(await request.json())
    messages.push(message)
    const before = filesAt(branch)?.get(path)
    if (!branches.has(branch)) return refusal(404, `Branch ${branch} not found`)
    if (before !== undefined && sha === undefined) return refusal(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    if (sha !== undefined && (before === undefined || blobOf(before) !== sha))
      return refusal(409, `${path} does not match ${sha}`)
    const text = request.method === "DELETE" ? undefined : Buffer.from(content, "base64").toString()
    change(branch, path, text)
    if (text === undefined) return json(200, { commit: {}, content: null })
    return json(before === undefined ? 201 : 200, dress("written", { content: { path, sha: blobOf(text) } }))
  }

  const done = async (request: Request, url: URL, path: string): Promise<Response> => {
    const { method } = request
    asked.push(`${method} ${path}${url.search}`)
    tokens.add(request.headers.get("authorization") ?? "")
    const other = trouble(method, path)
    if (other !== undefined) return other
    const rest = path.slice(`/repos/${repo}`.length)
    if (rest === "") return json(200, dress("repository", { full_name: repo, ...about }))
    const [, branch = ""] = /^\/git\/refs?\/heads\/(.+)$/.exec(rest) ?? []
    if (branch !== "" && method === "GET") {
      const sha = branches.get(branch)
      return sha === undefined
        ? refusal(404, "Not Found")
        : json(200, dress("ref", { object: { sha, type: "commit" }, ref: `refs/heads/${branch}` }))
    }
    if (branch !== "" && method === "DELETE")
      return branches.delete(branch) ? new Response(null, { status: 204 }) : refusal(422, "Reference does not exist")
    if (rest === "/git/refs" && method === "POST") {
      const { ref, sha } = Object(await request.json())
      const name = String(ref).replace("refs/heads/", "")
      if (branches.has(name)) return refusal(422, "Reference already exists")
      branches.set(name, sha)
      return json(201, dress("ref", { object: { sha, type: "commit" }, ref }))
    }
    if (rest.startsWith("/contents/")) return contents(request, rest.slice("/contents/".length), url)
    if (rest === "/pulls" && method === "GET") {
      const head = url.searchParams.get("head")?.replace("acme:", "")
      return json(
        200,
        pulls.filter((pull) => pull.head === head).map((pull) => shown(pull, true))
      )
    }
    if (rest === "/pulls" && method === "POST") {
      const { base, body, head, title } = Object(await request.json())
      if (!branches.has(head)) return refusal(422, "Validation Failed")
      if (pulls.some((pull) => pull.head === head && pull.state === "open"))
        return refusal(422, `A pull request already exists for acme:${head}.`)
      const pull: Pull = { base, body, head, merged_at: null, number: pulls.length + 1, state: "open", title }
      pulls.push(pull)
      return json(201, shown(pull))
    }
    const pull = pulls[Number(/^\/pulls\/(\d+)$/.exec(rest)?.[1] ?? 0) - 1]
    if (pull === undefined) return refusal(404, "Not Found")
    if (method === "PATCH") pull.state = Object(await request.json()).state
    return json(200, shown(pull))
  }

  const answer = async (request: Request, url: URL, path: string): Promise<Response> => {
    const whole = await done(request, url, path)
    return garbled(request.method, path) ?? whole
  }

  return {
    answer,
    /** Requests as `METHOD path?query`, in their order. */
    asked,
    branches,
    change,
    close: (number: number) => {
      const pull = pulls[number - 1]
      if (pull !== undefined) pull.state = "closed"
    },
    fileOn: (branch: string, path: string) => filesAt(branch)?.get(path),
    merge: (number: number) => {
      const pull = pulls[number - 1]
      if (pull === undefined) return
      branches.set(pull.base, commit(new Map([...(filesAt(pull.base) ?? []), ...(filesAt(pull.head) ?? [])])))
      for (const path of filesAt(pull.base)?.keys() ?? [])
        if (filesAt(pull.head)?.has(path) === false) change(pull.base, path, undefined)
      pull.state = "closed"
      pull.merged_at = new Date().toISOString()
    },
    /** Another response after a request was executed, until the next call. */
    garble: (how: Trouble) => {
      garbled = how
    },
    /** Messages of commits. */
    messages,
    name: repo,
    pulls,
    say: (fields: object) => {
      about = fields
    },
    tokens,
    /** Another response before a request is executed, until the next call. */
    trouble: (how: Trouble) => {
      trouble = how
    },
    /** Requests with changes. */
    writes: () => asked.filter((line) => !line.startsWith("GET "))
  }
}
export type FakeRepository = ReturnType<typeof make>

/** A GitHub on the loopback interface. */
export const serve = (dress: Dress = bare) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const repositories = new Map<string, FakeRepository>()
      const server = Bun.serve({
        fetch: (request) => {
          const url = new URL(request.url)
          const path = decodeURIComponent(url.pathname)
          const [, name = ""] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? []
          return repositories.get(name)?.answer(request, url, path) ?? refusal(404, "Not Found")
        },
        hostname: "127.0.0.1",
        port: 0
      })
      return {
        /** A new repository of its own. */
        repository: () => {
          const name = `acme/site-${repositories.size + 1}`
          const repository = make(name, dress)
          repositories.set(name, repository)
          return repository
        },
        stop: () => server.stop(true),
        url: server.url.origin
      }
    }),
    ({ stop }) => Effect.promise(() => stop())
  )
export type FakeGitHub = Effect.Effect.Success<ReturnType<typeof serve>>
