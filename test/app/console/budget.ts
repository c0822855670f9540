import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Assets } from "../../../src/app/console/Bundle.ts"
import { shell } from "../../../src/app/console/Console.ts"
import { represented } from "../../../src/app/server/Answers.ts"

/** Maximum bytes as sent: of what the list of sites needs, and of all screens together. */
export const budget = { all: 163_840, first: 65_536 }

const sent = (text: string, coding: string) => {
  const request = new Request("http://node/console", { headers: { "accept-encoding": coding } })
  return represented(HttpServerRequest.fromWeb(request), HttpServerResponse.text(text), true).pipe(
    Effect.map(({ body }) => (body._tag === "Uint8Array" ? body.body.length : 0)),
    Effect.runPromise
  )
}

/** The scripts that a script loads before it starts, and itself. */
const needed = (assets: Assets, name: string, known: ReadonlySet<string> = new Set()): ReadonlySet<string> => {
  if (known.has(name)) return known
  const imports = Array.from(assets[name]?.matchAll(/(?:from|import)"\.\/([^"]+)"/g) ?? [], ([, to = ""]) => to)
  return imports.reduce<ReadonlySet<string>>((all, to) => needed(assets, to, all), new Set([...known, name]))
}

/** Bytes of the page and its files, as sent to a browser on another machine, which accepts only gzip over plain HTTP. */
export const sentBytes = async (assets: Assets) => {
  const page = await sent(shell("/console"), "gzip")
  const files = new Map(
    await Promise.all(Object.entries(assets).map(async ([name, text]) => [name, await sent(text, "gzip")] as const))
  )
  const sum = (names: Iterable<string>) => [...names].reduce((bytes, name) => bytes + (files.get(name) ?? 0), page)
  return {
    all: sum(files.keys()),
    files,
    first: sum([...needed(assets, "console.js"), "console.css"]),
    page
  }
}
