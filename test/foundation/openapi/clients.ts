/** Options of a strict compiler over generated clients, as bundlers use it. */
export const strict = {
  compilerOptions: {
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "bundler",
    noEmit: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    strict: true,
    target: "ES2022",
    types: []
  }
}

const expecting = `
const expect = (what: string, isSo: boolean) => { if (!isSo) throw new Error(what) }
`

/** Generators of clients, with a program that uses what each makes: null where there is nothing to run before. */
export const clients = (base: string, key: string) => [
  {
    generate: ["npx", "openapi-typescript", "openapi.json", "-o", "openapi-typescript.d.ts"],
    name: "openapi-typescript",
    program: `
import createClient from "openapi-fetch"
import type { paths } from "./openapi-typescript.js"
${expecting}
const client = createClient<paths>({ baseUrl: "${base}", headers: { Authorization: "Bearer ${key}" } })
const made = await client.POST("/api/v1/projects", { body: { url: "https://openapi-fetch.example" } })
expect("made", made.response.status === 201 && made.data?.data.host === "openapi-fetch.example")
const listed = await client.GET("/api/v1/projects", { params: { query: { limit: 5 } } })
expect("listed", (listed.data?.data.length ?? 0) > 0 && typeof listed.data?.meta.has_next === "boolean")
const missing = await client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: crypto.randomUUID() } } })
expect("missing", missing.error?.error.code === "not_found")
`
  },
  {
    generate: ["npx", "orval", "--input", "openapi.json", "--output", "orval.ts", "--client", "fetch"],
    name: "orval",
    program: `
import { projectsCreate, projectsList } from "./orval"
${expecting}
const send = globalThis.fetch
globalThis.fetch = ((path: string, init?: RequestInit) => send("${base}" + path, init)) as typeof fetch
const headers = { Authorization: "Bearer ${key}" }
const made = await projectsCreate({ url: "https://orval.example" }, { headers })
expect("made", made.status === 201 && made.data.data.host === "orval.example")
const listed = await projectsList({ limit: 5 }, { headers })
expect("listed", listed.status === 200 && listed.data.data.length > 0)
const refused = await projectsList({ limit: 5 })
expect("refused", refused.status === 401 && refused.data.error.code === "unauthorized")
`
  },
  {
    generate: ["npx", "openapi-ts", "--input", "openapi.json", "--output", "hey-api"],
    name: "hey-api",
    program: `
import { client } from "./hey-api/client.gen"
import { projectsCreate, projectsList } from "./hey-api/sdk.gen"
${expecting}
client.setConfig({ auth: "${key}", baseUrl: "${base}" })
const made = await projectsCreate({ body: { url: "https://hey-api.example" } })
expect("made", made.response?.status === 201 && made.data?.data.host === "hey-api.example")
const listed = await projectsList({ query: { limit: 5 } })
expect("listed", (listed.data?.data.length ?? 0) > 0)
client.setConfig({ auth: "" })
const refused = await projectsList()
expect("refused", refused.error?.error.code === "unauthorized")
`
  }
]
