/** Loaded into a crawl before its program: one name has the open address when it is first looked up, and a closed one each second time from then on. */
const lookup = Bun.dns.lookup
let asked = 0

const rebound: typeof lookup = (name, options) => {
  if (name !== "rebound.test") return lookup(name, options)
  asked += 1
  return Promise.resolve([{ address: asked % 2 === 1 ? "127.0.0.2" : "127.0.0.1", family: 4, ttl: 0 }])
}

Object.defineProperty(Bun.dns, "lookup", { value: rebound })
