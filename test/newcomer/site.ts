const page = (title: string, more = "") =>
  new Response(
    `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="All about ${title}, and where to find it.">${more}</head>
<body><h1>${title}</h1><p>${title}</p><a href="/">start</a> <a href="/a">first</a> <a href="/b">second</a> <a href="/old">old</a> <a href="/dead">dead link</a></body></html>`,
    { headers: { "content-type": "text/html; charset=utf-8" } }
  )

/** The small site of the README: three pages for everybody, one that hides itself, one that has moved, and a dead link. */
export const site = (port: number) =>
  Bun.serve({
    fetch: ({ url }) => {
      switch (new URL(url).pathname) {
        case "/":
          return page("A small site")
        case "/a":
          return page("The first page")
        case "/b":
          return page("The second page", '<meta name="robots" content="noindex">')
        case "/c":
          return page("The page that moved")
        case "/old":
          return new Response(null, { headers: { location: "/c" }, status: 301 })
        default:
          return new Response("There is no such page", { status: 404 })
      }
    },
    hostname: "127.0.0.1",
    port
  })
