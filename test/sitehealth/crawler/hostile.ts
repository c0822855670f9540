/** A site whose robots.txt, sitemap and pages are as costly as the limits of a crawl allow; tells its address when it is up. */
const rules = `User-agent: *\n${Array.from({ length: 24_000 }, (_, at) => `Disallow: /*a*${at.toString(36)}z`).join("\n")}`
const page = `<title>t</title>${"<div><p><b>".repeat(40_000)}${'<a href="/x?a=1">l</a>'.repeat(20_000)}`

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => {
    const { origin, pathname } = new URL(url)
    if (pathname === "/robots.txt") return new Response(rules)
    if (pathname !== "/sitemap.xml") return new Response(page, { headers: { "content-type": "text/html" } })
    const entries = Array.from(
      { length: 20_000 },
      (_, at) => `<url><loc>${origin}/${"a".repeat(1_500)}${at}</loc></url>`
    )
    return new Response(`<urlset>${entries.join("")}</urlset>`, { headers: { "content-type": "application/xml" } })
  }
})
console.log(server.url.href)
