import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import type { Node } from "../node.ts"
import { type Law, laws, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { type Attack, launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"

const sockets = 40

/** Reads that query the database for the key, and then for rows. */
export const reading = ["/api/v1/keywords", "/api/v1/projects", "/api/v1/webhooks"]

/** One connection: a request, and its end after 0 to 5 ms, by FIN or by reset. */
const visit = (port: number, localAddress: string, text: string) =>
  new Promise<string>((done) => {
    const socket = connect({ host: "127.0.0.1", localAddress, port })
    socket.on("error", () => done("refused or reset"))
    socket.on("close", () => done("closed"))
    socket.on("connect", () => {
      socket.write(text)
      const leave = () => (Math.random() < 0.5 ? socket.destroy() : socket.resetAndDestroy())
      setTimeout(leave, Math.random() * 5)
    })
  })

/** Callers that disconnect before the response. Half of them use the ordinary tenant's IP address, the others one each. */
export const flood: Attack = async ({ base, given, keys: [key = ""] }, report) => {
  const text = (given.requests ?? []).map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`
  )
  const port = Number(new URL(base).port)
  report.ready()
  const one = async (number: number) => {
    const from = number % 2 === 0 ? "127.0.0.1" : `127.0.0.${number + 2}`
    for (let round = 0; ; round++) report.count(await visit(port, from, text[round % text.length] ?? ""))
  }
  await Promise.all(Array.from({ length: sockets }, (_, number) => one(number)))
}

const cancelled = /canceling statement due to user request|(?<!fiber=#)\b57014\b/

/** The logs of PostgreSQL and of the server, from now on: a stopping server cancels its own statements. */
const logs = ({ database: { home } }: Installation, on: Node) => {
  const ofServer = () => readFileSync(join(home, "server.log"), "utf8")
  const [server, node] = [ofServer().length, on.output().length]
  return () => ({ node: on.output().slice(node), server: ofServer().slice(server) })
}

/**
 * Statements that PostgreSQL cancelled although they did not belong to the flood: their parameters contain neither its key nor its account. (Nothing waits
 * for the statements that cancel others.) Also the server's log lines about cancelled statements: it has reason to write one only when a caller or a worker
 * waited.
 */
const lawOfCancels = ({ node, server }: ReturnType<ReturnType<typeof logs>>, own: ReadonlyArray<string>): Law => {
  const entries = server.split(/\n(?=\d{4}-\d\d-\d\d [^\n]*(?:ERROR|LOG|FATAL): )/)
  const all = entries.filter((entry) => cancelled.test(entry) && !entry.includes("SELECT pg_cancel_backend"))
  const others = all.filter((entry) => !own.some((text) => entry.includes(text)))
  const lines = node.split("\n").filter((line) => cancelled.test(line))
  for (const entry of others.slice(0, 3)) console.log(`  ${entry.replace(/\s+/g, " ").slice(0, 400)}`)
  for (const line of lines.slice(0, 3)) console.log(`  ${line.slice(0, 400)}`)
  return {
    found: `${others.length} of ${all.length} cancelled statements were others', ${lines.length} lines of the node's log`,
    holds: others.length === 0 && lines.length === 0,
    law: "no statement is cancelled that a connected caller or a worker waits for"
  }
}

/** The form of a key in statement parameters: its hash, as PostgreSQL writes bytes. */
const shown = (key: string) => createHash("sha256").update(key).digest("hex")

/** Clients that send a request, with an unknown or a valid key, and disconnect before the response. */
export const disconnects = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const tenant = await ordinary(installation, on)
  const unknown = `fnd_live_${"x".repeat(32)}`
  const [known = ""] = await installation.attacker.keys(1)
  const idle = await tenant.measure(seconds)
  const beside = async (key: string, requests: ReadonlyArray<string>) => {
    const attack = await launch(installation, on, "flood", { given: { requests }, keys: [key] })
    const found = await tenant.measure(seconds)
    console.log(`  flood of ${requests[0]}: ${JSON.stringify(await attack.stop())}`)
    return found
  }
  const logged = logs(installation, on)
  const healthz = await beside(unknown, ["/healthz"])
  const keyless = await beside(unknown, reading)
  const keyed = await beside(known, reading)
  return {
    figures: { idle, "/healthz": healthz, keyless, "with a key": keyed },
    laws: [
      ...laws("keyless", healthz, keyless, 2.5, "beside /healthz"),
      ...laws("with a key", healthz, keyed, 2.5, "beside /healthz"),
      lawOfCancels(logged(), [shown(unknown), shown(known), installation.attacker.account])
    ]
  }
}
