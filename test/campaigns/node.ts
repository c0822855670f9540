import { resolve } from "node:path"

const here = resolve(import.meta.dir, "../..")

/** This process's environment without our settings. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(FINDABLE_|DATABASE_URL)/.test(name))
)

const settings = {
  FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
  FINDABLE_HOST: "127.0.0.1",
  FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  FINDABLE_PORT: "0"
}

/** The environment of our programs. */
export const environmentOf = (environment: Record<string, string>) => ({ ...clean, ...settings, ...environment })

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes, and tests assert the values
  readonly body: any
  readonly seconds: number
}

export interface Request {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** One request; a failed connection has status 0. */
export const ask = async (
  base: string,
  method: string,
  path: string,
  { body, headers, key }: Request = {}
): Promise<Answer> => {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  try {
    const response = await fetch(`${base}${path}`, {
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      method,
      redirect: "manual",
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false
    return {
      body: isJson ? JSON.parse(text) : text,
      headers: response.headers,
      seconds: seconds(),
      status: response.status
    }
  } catch (error) {
    return { body: String(error), headers: new Headers(), seconds: seconds(), status: 0 }
  }
}

/** Waits until a condition holds, and returns the seconds; fails after a limit. */
export const until = async (holds: () => Promise<boolean> | boolean, atMost = 60, every = 20) => {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > atMost * 1000) throw new Error(`It did not hold within ${atMost} s: ${holds}`)
    await Bun.sleep(every)
  }
  return (performance.now() - began) / 1000
}

/** One of our programs as a process, from this tree or another. It leads a session: Linux divides CPUs between sessions first (`sched(7)`, autogroups). */
export const spawn = (
  program: string,
  environment: Record<string, string>,
  words: ReadonlyArray<string> = [],
  root = here
) => {
  const child = Bun.spawn([process.execPath, `${root}/src/${program}`, ...words], {
    cwd: root,
    detached: true,
    env: environmentOf(environment),
    stderr: "pipe",
    stdout: "pipe"
  })
  process.on("exit", () => child.kill("SIGKILL"))
  let output = ""
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  return { child, collected, output: () => output }
}

/** Runs a command to its end. */
export const command = async (environment: Record<string, string>, words: ReadonlyArray<string>, root = here) => {
  const { child, collected, output } = spawn("cli.ts", environment, words, root)
  const code = await child.exited
  await collected
  return { code, output: output() }
}

/** A server; with `FINDABLE_ROLE=worker` it has no URL. */
export const node = async (environment: Record<string, string>, root = here) => {
  const { child, output } = spawn("main.ts", environment, [], root)
  await until(() => child.exitCode !== null || /runs at http:\S+|Findable worker runs/.test(output()), 240)
  if (child.exitCode !== null) throw new Error(`The node ended with ${child.exitCode}: ${output()}`)
  const base = /runs at (http:\/\/[^\s,]+)/.exec(output())?.[1] ?? ""
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal)
    return await child.exited
  }
  return {
    ask: (method: string, path: string, request?: Request) => ask(base, method, path, request),
    base,
    child,
    end,
    output
  }
}
export type Node = Awaited<ReturnType<typeof node>>

/** An account with a key for everything, created by the command line. */
export const customer = async (url: string, plan = "agency_team") => {
  const made = await command({ DATABASE_URL: url }, [
    "accounts",
    "create",
    "--name",
    "campaign",
    "--plan",
    plan,
    "--json"
  ])
  const { id } = JSON.parse(made.output.slice(made.output.indexOf("{")))
  const created = await command({ DATABASE_URL: url }, [
    "keys",
    "create",
    "--account",
    id,
    "--scopes",
    "*,site-health:write",
    "--json"
  ])
  const { key } = JSON.parse(created.output.slice(created.output.indexOf("{")))
  return { account: String(id), key: String(key) }
}

const page = (path: string, links: ReadonlyArray<string>) =>
  new Response(
    `<!doctype html><html lang="en"><head><title>Page ${path}</title><meta name="description" content="A page at ${path}"></head><body><h1>${path}</h1>${links.map((to) => `<a href="${to}">${to}</a>`).join(" ")}</body></html>`,
    { headers: { "content-type": "text/html" } }
  )

/** A site with a number of slow pages. */
export const site = (pages: number, milliseconds: number) => {
  const links = Array.from({ length: pages - 1 }, (_, n) => `/${n + 1}`)
  const server = Bun.serve({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname !== "/" && !links.includes(pathname)) return new Response("", { status: 404 })
      await Bun.sleep(milliseconds)
      return page(pathname, links)
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return { stop: () => server.stop(true), url: `http://127.0.0.1:${server.port}` }
}

/** An endpoint of webhooks that counts deliveries by event and type. */
export const receiver = () => {
  const received = new Map<string, number>()
  const types = new Map<string, string>()
  const server = Bun.serve({
    fetch: async (request) => {
      const id = request.headers.get("service-event-id") ?? "none"
      await request.text()
      received.set(id, (received.get(id) ?? 0) + 1)
      types.set(id, request.headers.get("service-event-type") ?? "none")
      return new Response("")
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return { received, stop: () => server.stop(true), types, url: `http://127.0.0.1:${server.port}/hook` }
}
