import * as Effect from "effect/Effect"

/** Every way a page has to make a browser ask another server, redirects of its own server among them. */
const embedding = (server: string, moved: string) => `
<link rel="stylesheet" href="http://${server}/style"><img src="http://${server}/img"><img src="${moved}">
<iframe src="http://${server}/frame"></iframe><object data="http://${server}/object"></object>
<script src="http://${server}/script"></script><script>
fetch("http://${server}/fetch", { mode: "no-cors" }).catch(() => {})
navigator.sendBeacon("http://${server}/beacon")
new WebSocket("ws://${server}/socket")
</script>`

const stun = (port: number) => `<script>
const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] })
peer.createDataChannel("x")
peer.createOffer().then((offer) => peer.setLocalDescription(offer))
</script>`

/** What a page can ask by the above. */
export const everyWay = ["beacon", "fetch", "frame", "img", "moved", "object", "script", "socket", "style"]

/**
 * Two neighbours of an audited page: one on 127.0.0.2, which notes what it is asked, and one on 127.0.0.1, which counts connections. The document embeds both,
 * and sends UDP to a third. It is 127.0.0.1 that must not be reached: browsers go there past a proxy unless they are told otherwise.
 */
export const neighbours = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked = new Set<string>()
    let connections = 0
    let datagrams = 0
    const allowed = Bun.serve({
      hostname: "127.0.0.2",
      port: 0,
      fetch: ({ url }) => {
        asked.add(new URL(url).pathname.slice(1))
        return new Response("")
      }
    })
    const forbidden = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: () => {},
        open: (socket) => {
          connections++
          socket.end()
        }
      }
    })
    const udp = await Bun.udpSocket({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: () => {
          datagrams++
        }
      }
    })
    const redirects: Readonly<Record<string, string>> = {
      "/moved-inside": `http://127.0.0.1:${forbidden.port}/moved`,
      "/moved-next-door": `http://127.0.0.2:${allowed.port}/moved`
    }
    const html = [
      embedding(`127.0.0.1:${forbidden.port}`, "/moved-inside"),
      embedding(`127.0.0.2:${allowed.port}`, "/moved-next-door"),
      stun(udp.port)
    ].join("")
    const close = async () => {
      forbidden.stop(true)
      udp.close()
      await allowed.stop(true)
    }
    const seen = () => ({ asked: [...asked].sort(), connections, datagrams })
    return { close, html, redirects, seen }
  }),
  ({ close }) => Effect.promise(close)
)
