interface Options {
  readonly profile: string
  /** False for `--no-sandbox`, which a browser of root needs. */
  readonly sandbox: boolean
  /** Port of the SOCKS proxy on 127.0.0.1 for all connections. */
  readonly proxy: number
}

/** Features that call home, change the page, prompt, or tell the local network of a page (names of WebRTC, by multicast). */
const unwanted = [
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "InterestFeedContentSuggestions",
  "MediaRouter",
  "OptimizationHints",
  "Translate",
  "WebRtcHideLocalIpsWithMdns"
]

/** All connections go through the proxy, to loopback addresses too. The browser resolves no names and sends no UDP, which SOCKS cannot carry. */
const guarded = (proxy: number) => [
  `--proxy-server=socks5://127.0.0.1:${proxy}`,
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp"
]

/** Quiet, without extensions or caches, with a new profile, behind the proxy. */
const quiet = ({ profile, proxy, sandbox }: Options): ReadonlyArray<string> => [
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--no-pings",
  ...guarded(proxy),
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-hang-monitor",
  "--disable-popup-blocking",
  "--disable-prompt-on-repost",
  "--disable-sync",
  `--disable-features=${unwanted.join(",")}`,
  "--deny-permission-prompts",
  "--metrics-recording-only",
  "--mute-audio",
  "--password-store=basic",
  "--safebrowsing-disable-auto-update",
  "--use-mock-keychain",
  ...(sandbox ? [] : ["--no-sandbox"])
]

/** Arguments of the browser of an audit, which chooses its debugging port. */
export const auditFlags = (options: Options): ReadonlyArray<string> => [
  "--headless=new",
  "--remote-debugging-port=0",
  "--remote-debugging-address=127.0.0.1",
  ...quiet(options),
  "about:blank"
]

/**
 * Arguments of a browser for rendering, driven over two pipes. V8's random numbers begin equally in every process. Frames of other sites share the process of
 * their page, because each process has one virtual clock; no site keeps secrets in this browser.
 */
export const renderFlags = (options: Options): ReadonlyArray<string> => [
  "--headless",
  "--remote-debugging-pipe",
  ...quiet(options),
  "--disable-site-isolation-trials",
  "--disable-gpu",
  "--disable-crash-reporter",
  "--hide-scrollbars",
  "--lang=en-US",
  "--accept-lang=en-US",
  "--js-flags=--random-seed=1",
  "--no-startup-window"
]
