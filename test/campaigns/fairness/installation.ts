import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { insider, keyOf } from "../attackers.ts"
import { type Node, node } from "../node.ts"
import { type Postgres, postgres } from "../postgres.ts"

/** Seconds of each measurement, and the share of data and files that an attack uses. */
export interface Options {
  readonly seconds: number
  readonly scale: number
}

/** A customer: its account, and its keys. */
export interface Tenant {
  readonly account: string
  readonly keys: (count: number) => Promise<ReadonlyArray<string>>
}

/** A PostgreSQL with servers and two tenants, for one case; `closeAll` stops and removes all of it. */
export interface Installation {
  readonly attacker: Tenant
  readonly close: () => Promise<void>
  readonly database: Postgres
  readonly home: string
  readonly onClose: (end: () => unknown) => void
  readonly options: Options
  readonly ordinary: Tenant
  readonly serve: () => Promise<Node>
}

const tenantOf = async (database: Postgres): Promise<Tenant> => {
  const { account } = await insider(database)
  return { account, keys: (count) => Promise.all(Array.from({ length: count }, () => keyOf(database, account))) }
}

/** PostgreSQL logs the parameters of failed statements, which show the account. */
const logging = { log_line_prefix: "%m [%p] ", log_parameter_max_length_on_error: -1 }

const open = new Set<() => Promise<void>>()

/** Stops and removes everything that still runs. */
export const closeAll = async () => {
  for (const close of open) await close()
}

export const installation = async (options: Options): Promise<Installation> => {
  const home = mkdtempSync(join(tmpdir(), "findable-fairness-"))
  const ends: Array<() => unknown> = [() => rmSync(home, { force: true, recursive: true })]
  const endAll = async () => {
    for (const end of ends.reverse()) {
      try {
        await end()
      } catch (error) {
        console.error(`  was not removed: ${error}`)
      }
    }
    open.delete(close)
  }
  // The end of a case and a signal may both call it; both wait until it is done.
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= endAll()
    return closing
  }
  open.add(close)
  const database = await postgres({ directory: home, settings: logging })
  ends.push(database.remove)
  const serve = async () => {
    const serving = await node({ DATABASE_URL: database.url() })
    ends.push(() => serving.end("SIGKILL"))
    return serving
  }
  // The first start migrates, so that accounts can be created.
  const first = await serve()
  await first.end("SIGTERM")
  return {
    attacker: await tenantOf(database),
    close,
    database,
    home,
    onClose: (end) => ends.push(end),
    options,
    ordinary: await tenantOf(database),
    serve
  }
}
