import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { node, until } from "../node.ts"
import { googles, ofUser } from "./google.ts"

const each = (write: (code: number) => string) => (text: string) =>
  Array.from(text, (letter) => write(letter.charCodeAt(0))).join("")

/** Ways in which a service may repeat a secret inside a JSON text. */
const spellings: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "as code units": each((code) => `\\u${code.toString(16).padStart(4, "0")}`),
  "as escaped code units": each((code) => `\\\\u${code.toString(16).padStart(4, "0")}`),
  cut: (secret) => secret.slice(0, 14),
  "in base64 of a pair": (secret) => Buffer.from(`user:${secret}`).toString("base64").replaceAll("/", "\\/"),
  "in entities": each((code) => `&#${code};`),
  "percent-encoded": each((code) => `%${code.toString(16).padStart(2, "0")}`)
}

/** All readings of a text, by undoing each of these spellings. */
const readings = (text: string): ReadonlyArray<string> => {
  const byCode = (pattern: RegExp, base: number) =>
    text.replace(pattern, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, base)))
  const words = text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? []
  return [
    text,
    byCode(/\\+u([\da-f]{4})/gi, 16),
    byCode(/%([\da-f]{2})/gi, 16),
    byCode(/&#(\d+);/g, 10),
    ...words.flatMap((word) => [0, 1, 2, 3].map((from) => Buffer.from(word.slice(from), "base64").toString("latin1")))
  ]
}

const leaks = (text: string, secret: string) => {
  const all = readings(text).join("\n")
  return Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).filter((part) =>
    all.includes(part)
  ).length
}

/** GitHub and Google repeat their input in every spelling; responses, stored rows and the debug log are searched for it. */
export const repeatedSecrets = async (): Promise<ReadonlyArray<Law>> => {
  const { close, database, ordinary } = await installation({ scale: 1, seconds: 1 })
  const google = googles()
  let spell = (secret: string) => secret
  const github = Bun.serve({
    fetch: ({ headers }) => {
      const token = (headers.get("authorization") ?? "").replace("Bearer ", "")
      return new Response(`{"message": "Bad credentials: ${spell(token)}"}`, { status: 403 })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  const serving = await node({
    DATABASE_URL: database.url(),
    FINDABLE_GITHUB_URL: github.url.href,
    FINDABLE_LOG_LEVEL: "debug",
    ...google.settings
  })
  try {
    const [key = ""] = await ordinary.keys(1)
    const ask = (method: string, path: string, body?: object) => serving.ask(method, `/api/v1${path}`, { body, key })
    const { id } = (await ask("POST", "/projects", { url: "https://shop.example/" })).body.data
    const token = "ghp_Z9x7Qw3Er5Ty1Ui8Op2As4Df6Gh"
    await ask("PUT", `/projects/${id}/connectors/github`, { token })
    const laws: Array<Law> = []
    for (const [index, [name, spelling]] of Object.entries(spellings).entries()) {
      spell = spelling
      const refresh = `1//0Kq8Zr5Vt2Wm7Xn${index}Lp4Hd9`
      const { client_secret } = ofUser(refresh)
      google.reply(refresh, (access) => {
        const text = [access, refresh, client_secret].map(spelling).join(" and ")
        return new Response(`{"error": {"code": 403, "message": "No access with ${text}"}}`, { status: 403 })
      })
      const connection = { credentials: ofUser(refresh), every: "off", property: "sc-domain:shop.example" }
      await ask("PUT", `/projects/${id}/rankings/source`, connection)
      const url = `https://shop.example/${name.replaceAll(" ", "-")}`
      await ask("POST", `/projects/${id}/inspections`, { urls: [url] })
      await ask("POST", `/projects/${id}/rankings/source/sync`, { days: 1 })
      const proposed = await ask("POST", `/projects/${id}/interventions`, {
        changes: [{ content: "<p>New</p>", expected_sha: null, path: "new.html" }],
        connector: "github",
        repo: "acme/shop",
        summary: "Adds a page"
      })
      const inspected = async () =>
        (await ask("GET", `/projects/${id}/inspections?limit=100`)).body.data.find(
          (one: { status: string; url: string }) => one.url === url && one.status === "failed"
        )
      await until(async () => (await inspected()) !== undefined, 60, 200)
      const failed = async () => (await ask("GET", `/projects/${id}/rankings/source`)).body.data.last_error !== null
      await until(failed, 60, 200)
      const rows = await database.query(
        "SELECT (SELECT string_agg(i::text, ' ') FROM inspections i) AS a, (SELECT string_agg(s::text, ' ') FROM ranking_syncs s) AS b, (SELECT string_agg(last_error, ' ') FROM ranking_sources) AS c"
      )
      const places = {
        answers: JSON.stringify([
          proposed.body,
          await inspected(),
          await ask("GET", `/projects/${id}/rankings/source`)
        ]),
        "the log": serving.output(),
        rows: JSON.stringify(rows)
      }
      for (const [place, text] of Object.entries(places)) {
        const found = [token, refresh, `ya29.${refresh}`, client_secret].reduce((sum, one) => sum + leaks(text, one), 0)
        laws.push({
          found: `${found} parts`,
          holds: found === 0,
          law: `${place}: no part of a secret that is repeated ${name}`
        })
      }
    }
    return laws
  } finally {
    await serving.end("SIGKILL")
    github.stop(true)
    google.stop()
    await close()
  }
}
