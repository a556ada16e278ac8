# stet as an MCP server over stdio; histories are kept in a directory of yours, which must be there before:
#   docker run -i --rm --user "$(id -u):$(id -g)" -v "$PWD:/workspace" -v "$HOME/.local/state/stet:/state" stet
# Over HTTP, with a token of yours in STET_TOKEN (inside, it listens on every address; outside, on this machine only):
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/workspace" -v "$HOME/.local/state/stet:/state" -e STET_TOKEN -p 127.0.0.1:4100:4100 stet serve /workspace --host 0.0.0.0
# Published under another port or name, requests carry that in their Host header; http.allowedHosts of a file given with --config takes it.
FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json LICENSE README.md SECURITY.md ./
COPY docs docs
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
RUN ln -s /app/dist/bin/stet.cjs /usr/local/bin/stet && mkdir /workspace /state && chown node:node /workspace /state
ENV STET_STATE=/state
USER node
WORKDIR /workspace
ENTRYPOINT ["stet"]
CMD ["mcp", "/workspace"]
