const links: Readonly<Record<string, string>> = {
  a: "first page",
  b: "second page",
  dead: "dead link",
  old: "old page"
}

const page = (title: string, to: ReadonlyArray<string>, more = "") =>
  new Response(
    `<!doctype html>
<html lang="en">
<head>
<title>${title}</title>
<meta name="description" content="${title}: what it is about, and where the other pages are.">
<meta name="viewport" content="width=device-width">
${more}
</head>
<body>
<h1>${title}</h1>
<a href="/">start page</a> ${to.map((name) => `<a href="/${name}">${links[name]}</a>`).join(" ")}
</body>
</html>`,
    { headers: { "content-type": "text/html; charset=utf-8" } }
  )

/** The small site of the README: three pages for everybody, one that hides itself, one that has moved, and a dead link. */
export const site = (port: number) =>
  Bun.serve({
    fetch: ({ url }) => {
      switch (new URL(url).pathname) {
        case "/":
          return page("A small site", ["a", "b", "dead"])
        case "/a":
          return page("The first page", ["old", "dead"])
        case "/b":
          return page("The second page", [], '<meta name="robots" content="noindex">')
        case "/c":
          return page("The page that moved", [])
        case "/old":
          return new Response(null, { headers: { location: "/c" }, status: 301 })
        default:
          return new Response("There is no such page", { status: 404 })
      }
    },
    hostname: "127.0.0.1",
    port
  })
