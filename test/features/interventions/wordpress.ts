import * as Effect from "effect/Effect"

/** Response bodies of WordPress; a suite with the recorded ones adds their other fields. */
export type Dress = (fields: object) => object

const bare: Dress = (fields) => fields

const problem = (status: number, code: string, message: string) =>
  Response.json({ code, data: { status }, message }, { status })

export const access = { application_password: "abcd EFGH 1234 ijkl", username: "editor" }

/** A WordPress on the loopback interface with post 4, and a page that shows its title and description. Like the real one it drops unregistered meta fields. */
export const serve = (dress: Dress = bare) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const post = { meta: { _yoast_wpseo_metadesc: "" } as Record<string, string>, status: "publish", title: "A post" }
      const asked: Array<string> = []
      /** Received credentials with their path. */
      const seen: Array<readonly [path: string, authorization: string]> = []
      let registered: ReadonlyArray<string> = ["_yoast_wpseo_metadesc", "_yoast_wpseo_title"]
      let hidden = false
      let stored = (value: string) => value
      let cached: string | undefined
      let link = "/a-post"
      let trouble: (method: string, path: string) => Response | undefined = () => undefined
      let garbled: (answer: Response) => Response | Promise<Response> = (answer) => answer
      let isPlain = false

      const html = () =>
        `<!doctype html><html><head><title>${post.title.replace(/&(?!(?:amp|gt|lt);)/g, "&amp;").replaceAll("'", "’")} – Site</title><meta name="description" content="${post.meta._yoast_wpseo_metadesc}"></head><body><p>x</p></body></html>`

      const answer = async (request: Request): Promise<Response> => {
        const url = new URL(request.url)
        const { method } = request
        const route = url.pathname.startsWith("/wp-json")
          ? url.pathname.slice("/wp-json".length)
          : url.searchParams.get("rest_route")
        asked.push(`${method} ${url.pathname}${url.search}`)
        const authorization = request.headers.get("authorization")
        if (authorization !== null) seen.push([url.pathname, authorization])
        const other = trouble(method, url.pathname)
        if (other !== undefined) return other
        if (route === null || (isPlain && url.pathname.startsWith("/wp-json"))) {
          if (url.pathname === "/a-post")
            return new Response(cached ?? html(), { headers: { "content-type": "text/html; charset=utf-8" } })
          return new Response("<h1>Not found</h1>", { headers: { "content-type": "text/html" }, status: 404 })
        }
        const good = `Basic ${Buffer.from(`${access.username}:${access.application_password}`).toString("base64")}`
        if (authorization !== good)
          return problem(401, "rest_cannot_edit", "Sorry, you are not allowed to edit this post.")
        if (route !== "/wp/v2/posts/4") return problem(404, "rest_post_invalid_id", "Invalid post ID.")
        if (method === "OPTIONS") {
          if (hidden) return Response.json({ methods: ["GET", "POST"] })
          const properties = Object.fromEntries(registered.map((key) => [key, { type: "string" }]))
          return Response.json(
            { schema: { properties: { meta: { properties } } } },
            { headers: { allow: "GET, POST, PUT, PATCH, DELETE" } }
          )
        }
        if (method === "POST") {
          const { meta = {}, title } = Object(await request.json())
          if (title !== undefined) post.title = stored(title)
          for (const [key, value] of Object.entries(meta)) if (registered.includes(key)) post.meta[key] = String(value)
        }
        const meta = Object.fromEntries(registered.map((key) => [key, post.meta[key] ?? ""]))
        const whole = Response.json(
          dress({
            id: 4,
            link: new URL(link, server.url).href,
            meta,
            status: post.status,
            title: { raw: post.title, rendered: post.title }
          })
        )
        return method === "POST" ? garbled(whole) : whole
      }
      const server = Bun.serve({ fetch: answer, hostname: "127.0.0.1", port: 0 })
      return {
        asked,
        /** Stops or resumes updates of the public page, like a cache. */
        cache: (isOn: boolean) => {
          cached = isOn ? html() : undefined
        },
        /** Replaces the response to an executed write. */
        garble: (how: typeof garbled) => {
          garbled = how
        },
        hide: () => {
          hidden = true
        },
        move: (to: string) => {
          link = to
        },
        /** Turns off pretty permalinks. */
        plain: () => {
          isPlain = true
        },
        post,
        register: (...keys: ReadonlyArray<string>) => {
          registered = keys
        },
        seen,
        stop: () => server.stop(true),
        /** Transforms a written title. */
        store: (how: (value: string) => string) => {
          stored = how
        },
        trouble: (how: typeof trouble) => {
          trouble = how
        },
        url: server.url.origin,
        writes: () => asked.filter((line) => line.startsWith("POST "))
      }
    }),
    ({ stop }) => Effect.promise(() => stop())
  )
export type FakeWordPress = Effect.Effect.Success<ReturnType<typeof serve>>
