import { connect } from "node:net"
import { ask, until } from "../node.ts"
import { byCode, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"

/** More than an account may upload concurrently. */
const uploads = 30
const atMost = 20

/** A server dies while it receives the maximum number of files of an account; the account can send files again when others detect its death. */
export const receiving = async (installation: Installation): Promise<Result> => {
  const on = await installation.serve()
  const keys = await installation.attacker.keys(3)
  const made = await ask(on.base, "POST", "/api/v1/projects", { body: { url: "https://dead.example" }, key: keys[0] })
  const path = `/api/v1/projects/${made.body.data.id}/rankings/imports?format=gsc-csv`
  const port = Number(new URL(on.base).port)
  const refused: Record<string, number> = {}
  for (let n = 0; n < uploads; n++) {
    const socket = connect({ host: "127.0.0.1", port })
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk) => {
      const status = chunk.toString("latin1").slice(9, 12)
      refused[status] = (refused[status] ?? 0) + 1
    })
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${keys[n % keys.length]}\r\nContent-Length: 1000000\r\n\r\n`
    socket.on("connect", () => socket.write(`${head}Date,Query,Page,Clicks,Impressions,Position\n`))
    installation.onClose(() => socket.destroy())
    await Bun.sleep(60)
  }
  const send = async (base: string) => {
    const response = await fetch(`${base}${path}`, {
      body: "Date,Query,Page,Clicks,Impressions,Position\n2026-10-08,shoes,/a,1,20,3\n",
      headers: { authorization: `Bearer ${keys[0]}` },
      method: "POST"
    })
    await response.arrayBuffer()
    return response.status
  }
  const full = await send(on.base)
  const died = performance.now()
  await on.end("SIGKILL")
  const next = await installation.serve()
  const answers: Record<string, number> = {}
  const accepted = async () => {
    const status = await send(next.base)
    answers[status] = (answers[status] ?? 0) + 1
    return status === 202
  }
  const waited = await until(accepted, 60, 500).then(
    () => (performance.now() - died) / 1000,
    () => undefined
  )
  return {
    figures: {},
    laws: [
      {
        found: `${uploads} uploads (refused: ${byCode(refused)}), then ${full}; after the death ${waited === undefined ? "none was accepted within 60 s" : `accepted after ${waited.toFixed(1)} s`} (${byCode(answers)})`,
        holds: full === 429 && waited !== undefined && waited <= atMost,
        law: `uploads that a dead node left count for nothing after ${atMost} s`
      }
    ]
  }
}
