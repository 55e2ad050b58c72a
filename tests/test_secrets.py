"""Secrets at the door: what is masked, at equal length, and what stays."""

from __future__ import annotations

import base64
import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgplatform.ingest.secrets import is_masked, masked
from kgplatform.ingest.secrets.names import Verdict, verdict

GITHUB = "ghp_" + "a1B2c3D4e5" * 4
AWS = "AKIA" + "QWERTYUIOP123456"
JWT = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234"}', b"signaturesignature"))

PLANTED = [
    # Kubernetes
    ("a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata:\n  user: «Ym9i»\n  pw: «aHVudGVyMg==»\n"),
    ("a.yaml", 'kind: Secret\nstringData:\n  a.conf: |\n    «first line»\n    «second: line»\n  "b": \'«x y»\'\n'),
    ("a.yaml", "kind: List\nitems:\n  - stringData: {any: «topsecret»}\n    kind: Secret\n  - kind: ConfigMap\n    data: {any: thing}\n"),
    ("a.json", '{"kind": "Secret", "data": {"a": "«eA==»", "b": "«eQ==»"}, "type": "Opaque"}'),
    ("a.yaml", "secretGenerator:\n- name: db\n  literals:\n  - user=«bob»\n  - pass=«hunter2»\n"),
    ("a.yaml", "env:\n- {name: DB_PASSWORD, value: «swordfish»}\n- name: API_TOKEN\n  value: '«it''s»'\n"),
    ("a.yaml", "env:\n- value: «swordfish»\n  name: DB_PASSWORD\n"),
    ("a.yaml", "kind: ConfigMap\ndata:\n  redis-password: «swordfish»\n  app.ini: |\n    [db]\n    password = «correct horse»\n    port = 5432\n"),
    ("a.yaml", "args: [--db-password, «hunter2», --port, '80', --token=«abc123», --verbose]\n"),
    ("a.yaml", "environment:\n  - POSTGRES_PASSWORD=«hunter2»\n  - POSTGRES_USER=bob\n"),
    ("a.yaml", "auth:\n  rootPassword: «hunter2»\n  username: bob\nsecrets:\n  db: «hunter2-Zx9»\n  name: my-secret\n"),
    ("a.yaml", "password: &pw «swordfish»\nother: *pw\n"),
    ("a.yaml", "db: &pw «swordfish»\npassword: *pw\n"),
    ("a.yaml", "password: !!str «swordfish»\nclientSecret: >-\n  «several words»\n  «of it»\n# old_password: «hunter1»\n"),
    ("a.yaml", 'metadata:\n  annotations:\n    last-applied: |\n      «{"kind":"Secret","data":{"x":"eA=="}}»\n'),
    ("a.yaml", "password: «hunter2»\nbroken: [yaml\n"),
    ("values.yaml", "postgresql:\n  auth:\n    postgresPassword: «s3cr3t pass»\n    existingSecret: pg-cred\n"),
    # JSON
    ("a.json", '{"db": {"password": "«hun\\"ter\\\\2»", "port": 5432}, "tokens": ["«ab12cdefgh»"], "name": "x"}'),
    ("a.json", '[{"name": "API_KEY", "value": "«k-1»"}, {"Key": "DbPassword", "Value": "«k-2»"}, {"name": "URL", "value": "k-3"}]'),
    ("a.json", '{"password": {"value": "«x1»", "description": "the password"}}'),
    ("a.jsonl", '{"apiKey": "«a»"}\n{"apiKey": "«b»"}\n{"api": "c"}\n'),
    ("a.json", '{"password": "«broken»", '),
    ("a.jsonld", '{"@id": "x", "http://example.org/accessToken": [{"@value": "«abc»"}], "ex:password": {"@value": "«def»"}}'),
    # tables
    ("a.csv", "user,password,author\nbob,«hunter2»,me\n\"al, jr\",\"«hun,\"\"ter2»\",you\n"),
    ("a.csv", "user;Kennwort\nbob;«hunter2»\n"),
    ("a.csv", "Accounts of 2024\nsep=;\nuser;api_key;url\nbob;«k1»;http://x\n"),
    ("a.csv", "name,value\nDB_PASSWORD,«hunter2»\nTOKEN_URL,http://x\n"),
    ("a.csv", "subject,relation,object\nservice:tax,db_password,«hunter2»\nservice:tax,owned_by,team:x\n"),
    ("a.tsv", "user\tdb pass\nbob\t«hunter2»\n"),
    ("a.csv", "dsn\npostgres://bob:«hunter2»@db/x\n"),
    # RDF
    ("a.ttl", '@prefix ex: <http://x/> .\nex:a ex:password "«hunter2»" , "«hunter3»"@en ; ex:port 80 .\n'),
    ("a.ttl", 'ex:a ex:p [ ex:name "API_TOKEN" ; ex:value """«a\nb»""" ] ; ex:apiKey \'«k»\'^^xsd:string .\n'),
    ("a.nt", '<http://x/a> <http://x/dbPassword> "«hunter2»" .\n<http://x/a> <http://x/label> "hunter2x" .\n'),
    ("a.nq", '_:b <http://x/name> "DB_PASSWORD" <http://g> .\n_:b <http://x/value> "«hunter2»" <http://g> .\n'),
    ("a.rdf", '<r:RDF xmlns:e="http://x/"><e:A e:apiKey="«k1»"><e:password r:datatype="x">«hunter2»</e:password></e:A></r:RDF>'),
    ("a.xml", '<c><property name="db.password" value="«hunter2»"/><entry key="token">«abc1»</entry></c>'),
    ("a.xml", "<c><property><name>jdbc.password</name><value>«hunter2»</value></property></c>"),
    # running text
    ("a.md", "Log in with password: «hunter2», then go on. The password is stored in the vault.\n"),
    ("a.md", "```\nexport TOKEN=«x9»\nDB_PASSWORD=\"«hunter 2»\"\nset API_KEY='«k»'\n```\n"),
    ("a.md", "- **Password:** «swordfish»\n- API key: `«abc»`\n- Client secret = «def»\n- `db_password`: «ghi»\n"),
    ("a.md", "| name | default |\n|---|---|\n| DB_PASSWORD | `«hunter2x»` |\n| DB_HOST | orders-db |\n"),
    ("a.md", "user | password\n--- | ---\nbob | «swordfish»\n"),
    ("a.md", "---\ntitle: x\npassword: «hunter two»\n---\nText.\n"),
    ("a.txt", "The root password is «hunter2x» and the staging password is \"«swordfish»\".\n"),
    ("a.txt", 'curl -H "X-Api-Key: «abc-1»" -H "Authorization: Bearer «abcdefgh1234»" -u bob:«hunter2» https://x\n'),
    ("a.txt", "Authorization: Basic «Ym9iOmh1bnRlcjI=»\n"),
    ("a.txt", "mysql -u root -p«hunter2» shop\nmachine h login bob password «hunter2»\nvault login --token «abcdef12»\n"),
    ("README", "const apiKey = \"«abc»\"; conn.password='«x»'\n"),
    ("a.txt", "Server=tcp:h,1433;User ID=bob;Password=«hun ter2»;Encrypt=True;\nAccountName=a;AccountKey=«abcd1234efgh==»;\n"),
    ("a.txt", "db.url=jdbc:postgresql://db/x?user=bob&password=«hunter2»&ssl=true\n"),
    ("a.txt", "PASSWORT: «geheim»\nпароль: «секрет»\n"),
    ("a.txt", "spring.datasource.password=${DB_PASSWORD:«hunter2»}\nexport X_TOKEN=${X_TOKEN:-«abc»}\n"),
    # URLs
    ("a.txt", "postgres://bob:«hun%40ter2»@orders-db:5432/x redis://:«pw»@cache:6379 amqps://guest:«guest»@q/v\n"),
    ("a.yaml", "url: mongodb+srv://bob:«p@ss»@c0.example.net/db\nhook: https://hooks.slack.com/services/«T0/B0/abcdefghijkl»\n"),
    ("a.md", "See [it](https://x.example/a?id=1&access_token=«abc123def»&y=2) or https://x/?sig=«ab12cd34ef»\n"),
    ("a.txt", "dsn = bob:«hunter2»@tcp(db:3306)/shop\n"),
    ("a.txt", "jdbc:oracle:thin:scott/«tiger»@//h:1521/x\n"),
    # tokens that show by themselves
    ("a.txt", f"It was «{GITHUB}», before «{AWS}», then «{JWT}».\n"),
    ("a.csv", f"id,note\n1,«{GITHUB}»\n"),
    ("a.yaml", "key: |\n  -----BEGIN RSA PRIVATE KEY-----\n  «MIIEabc»\n  «def=»\n  -----END RSA PRIVATE KEY-----\n"),
    ("a.json", '{"k": "-----BEGIN PRIVATE KEY-----«\\nMIIE\\n»-----END PRIVATE KEY-----\\n"}'),
    # encoded, and again elsewhere
    ("a.md", f"It is «{base64.b64encode(b'password=hunter2').decode()}» in base64.\n"),
    ("a.txt", f"blob «{base64.b64encode(('key ' + GITHUB).encode()).decode()}» end\n"),
    ("a.yaml", "a:\n  password: «hunter2-topsecret»\n  note: it was «hunter2-topsecret» once\n"),
    ("a.yaml", f"kind: Secret\ndata: {{pw: «{base64.b64encode(b'hunter2-topsecret').decode()}»}}\n---\nnote: say «hunter2-topsecret» to it\n"),
    ("a.md", f"password: «hunter2-topsecret»\n\nAlso «{base64.b64encode(b'hunter2-topsecret').decode()}» there.\n"),
    ("a.yaml","apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: «eyJhdXRocyI6eyJyZWciOnsiYXV0aCI6IlltOWlPbWgxYm5SbGNqST0ifX19»\n"),
    ("a.yaml","apiVersion: v1\ndata:\n  tls.key: «LS0tLS1CRUdJTiBQUklWQVRF»\n  tls.crt: «LS0tLS1CRUdJTiBDRVJUSUZJ»\nkind: Secret\n"),
    ("a.yaml","spring:\n  datasource:\n    url: jdbc:postgresql://db:5432/app\n    username: app\n    password: «Sommer2024!»\n"),
    ("a.yaml", "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: «pg-topsecret»\n      POSTGRES_DB: shop\n"),
    ("a.yaml","services:\n  db:\n    environment:\n      - \"MYSQL_ROOT_PASSWORD=«root pw 1»\"\n      - MYSQL_DATABASE=shop\n"),
    ("a.yaml","smtp: {user: mailer, pass: «mailpw77x»}\nredis_auth: «Redis-Auth-77x»\n"),
    ("a.yaml","metadata:\n  annotations:\n    github.com/access-token: «zq-123-abc»\n    backstage.io/techdocs-ref: dir:.\n"),
    ("a.yaml","config: |\n  {\"db\": {\"password\": \"«s3cret»\"}}\n"),
    ("a.yaml","config: '{\"api_key\":\"«abcd»\"}'\n"),
('a.yaml','config: "{\\"api_key\\":\\"«abcd»\\",\\"x\\":1}"\n'),
    ("a.yaml","cmd: psql \"host=db user=app password=«hunter2» dbname=x\"\n"),
    ("a.yaml","auth:\n  token: «f3a9c1»\n  token_url: https://x\n"),
    ("a.yaml","Password: «12345678»\nPIN: 1234\n"),
    ("a.yaml","jwt_secret: «change-me-now»\nSESSION_SECRET: «keyboard cat»\n"),
    ("a.json",'{"AWS_SECRET_ACCESS_KEY": "«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»", "AWS_REGION": "eu-west-1"}'),
    ("a.json",'{"connectionString": "Server=db;Database=x;User Id=sa;Password=«Pa$$w0rd»;"}'),
    ("a.json",'{"users": [{"login": "bob", "password": "«tiger»"}, {"login": "al", "password": "«lion»"}]}'),
    ("a.json",'{"headers": {"Authorization": "Bearer «abc.def-123»", "Accept": "x"}}'),
    ("a.csv","id;name;secret_key\n1;x;«sk-1»\n2;y;\n"),
    ("a.csv","key,value\napi.key,«abc»\napi.url,http://x\nadmin_password,«pw»\n"),
    ("a.csv","host,url\ndb,postgresql://app:«pw»@db:5432/x\n"),
    ("a.csv","name|token_value\nx|«tok»\n"),
    ("a.ttl",'@prefix : <http://x/> .\n:svc :apiToken "«abc»"@en ; :tokenEndpoint <http://x/token> ; :password "«a\\"b»" .\n'),
    ("a.ttl",'@prefix schema: <http://schema.org/> .\n:s schema:accessCode "x" ; :dbUrl "mysql://root:«pw1»@db/x"^^xsd:anyURI .\n'),
    ("a.ttl",'[] a :Setting ; rdfs:label "db.password" ; rdf:value "«hunter2»" .\n'),
    ("a.ttl",":x <http://ex.org/vocab#clientSecret> '''«multi\nline»''' .\n"),
    ("a.trig",'ex:g { ex:a ex:password "«pw»" }\n'),
    ("a.rdf",'<rdf:Description rdf:about="#a"><ex:secretKey>«abc»</ex:secretKey><ex:tokenUrl>http://x</ex:tokenUrl></rdf:Description>'),
    ("a.md","## Credentials\n\nuser: admin\npassword: «adminpw»\n"),
    ("a.md","* user `bob`, password `«hunter2»`\n"),
    ("a.md","The API key is «AbC123xyZ987». Rotate it.\n"),
    ("a.md","Use token «ghp_abcdefghijklmnopqrstuvwxyz0123456789» for CI.\n"),
    ("a.md","```bash\ndocker login -u bob -p «hunter2x» registry.x\nkubectl create secret generic x --from-literal=password=«abc» --from-literal=user=bob\n```\n"),
    ("a.md","```bash\nhelm install x --set auth.password=«abc»,auth.user=bob\nredis-cli -a «hunter2x» ping\n```\n"),
    ("a.md","```bash\nexport AWS_ACCESS_KEY_ID=«AKIAIOSFODNN7EXAMPLE»\nexport AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»\n```\n"),
    ("a.md","```json\n{\n  \"token\": \"«abc»\",\n  \"user\": \"x\"\n}\n```\n"),
    ("a.md","```python\nclient = Client(api_key=\"«abc»\", password='«def»', url=URL)\n```\n"),
    ("a.md","```hcl\nvariable \"db_password\" {\n  default = \"«hunter2»\"\n}\npassword = \"«x»\"\n```\n"),
    ("a.md","<details>password: «hunter2»</details>\n"),
    ("a.md","Password (staging): «sw0rdfish»\nPassword for prod: «sw0rdfish9»\n"),
    ("a.md","> Passwort: «Geheim123»\n1. token: «abc123»\n"),
    ("a.txt","ftp://anonymous:«guest@x»@ftp.x.org/\nhttps://«ghp_abcdefghijklmnopqrstuvwxyz0123456789»@github.com/a/b\n"),
    ("a.txt","https://oauth2:«glpat-abcdefghijklmnopqrst»@gitlab.com/x.git\n"),
    ("a.txt","DATABASE_URL=postgres://u:«p»@h/x\nREDIS_URL=redis://default:«pw»@cache:6379/0\nAMQP=amqp://u:«p%2Fw»@mq:5672/%2f\n"),
    ("a.txt","sqlserver://sa:«Pa$w0rd»@h:1433?database=x&password=«abc1»\n"),
    ("a.txt","DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==»;EndpointSuffix=core.windows.net\n"),
    ("a.txt","Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«abcd1234abcd1234=»\n"),
    ("a.txt","https://x.blob.core.windows.net/c?sv=2020&sig=«abc%2Bdef123»&se=1\n"),
    ("a.txt","-----BEGIN OPENSSH PRIVATE KEY-----\n«b3BlbnNzaC1r»\n«ZXktdjE»\n-----END OPENSSH PRIVATE KEY-----\nafter\n"),
    ("a.txt","Authorization: Basic «dXNlcjpwYXNz»\nProxy-Authorization: Bearer «tok123456»\n"),
    ("a.txt","Cookie: session=«0af3bd77e1c9»; theme=dark\nSet-Cookie: auth_token=«abc123»; Path=/\n"),
    ("a.txt","the secret is: «s3cr3tvalue»\n"),
    ("a.xml","<config><db password=\"«hunter2»\" user=\"x\"/><apiKey>«abc»</apiKey><!-- password: «old1» --></config>"),
    ("a.xml","<string name=\"api_key\">«abc»</string><add key=\"ClientSecret\" value=\"«x»\"/><add name=\"db\" connectionString=\"Server=h;Pwd=«p»;\"/>"),
    ("a.md", "It is «" + base64.b64encode(b"postgres://u:hunter2@db/x").decode()+ "» in base64\n"),
    ("a.yaml", "x: «" + base64.b64encode(b'{"password": "hunter2"}').decode()+ "»\n"),
    ("a.csv", "id,blob\n1,«" + base64.b64encode(b'-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----').decode()+ "»\n"),
    ("a.yaml", "db_password_b64: «aHVudGVyMg==»\n"),
    ("a.yaml", "env:\n  - name: CONFIG\n    value: '«"+base64.b64encode(b'TOKEN=abc123').decode()+"»'\n"),
    ("a.json",'{"headers": {"X-Auth-Token": "«abc»", "Cookie": "«session=0af3bd77e1c9»"}}'),
    ("a.csv","service,username,passwd,owner\nshop,app,«geheim»,team-a\ncart,app,\"«hidden1»\",team-b\n"),
    ("a.md","```yaml\nenv:\n- name: DB_PASSWORD\n  value: «hunter2»\n```\n\n```json\n{\"name\": \"API_TOKEN\", \"value\": \"«abc»\"}\n```\n"),
    ("a.md","```yaml\nkind: Secret\nstringData:\n  any: «thing»\n```\n"),
    ("a.yaml","data:\n  app.yaml: |\n    env:\n    - name: DB_PASSWORD\n      value: «hunter2»\n  s.yaml: |\n    kind: Secret\n    data: {a: «eA==»}\n"),
    ("a.txt","apiVersion: v1\nkind: Secret\ndata:\n  any: «dGhpbmc=»\n"),
    ("a.md","```turtle\nex:a ex:password \"«pw»\" .\n```\n"),
]  # fmt: skip

HARMLESS = [
    ("a.yaml", "env:\n- {name: TOKEN_URL, value: 'https://auth1.example.com/oauth2/token'}\n- {name: PASSWORD_MIN_LENGTH, value: '12'}\n"),
    ("a.yaml", "env:\n- name: DB_PASSWORD\n  valueFrom: {secretKeyRef: {name: db-cred-2, key: password}}\n- {name: DB_PASSWORD, value: ''}\n"),
    ("a.yaml", "password_policy: strict\nsecretName: db-cred\ntokenizer: bpe\nauthor: Ann\nkeyboard: qwerty\npasswordless: true\nmax_tokens: 100\n"),
    ("a.yaml", "password: ${DB_PASSWORD}\ntoken: <token>\nsecret: '{{ .Values.secret }}'\napi_key: $(API_KEY)\npwd: %PASSWORD%\np: $TOKEN\n"),
    ("a.yaml", "password:\ntoken: null\nsecret: ~\napi_key: ''\nrequire_password: true\ndb_password_file: /run/secrets/db_password\n"),
    ("a.yaml", "image: registry/x@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\nid: 550e8400-e29b-41d4-a716-446655440000\n"),
    ("a.yaml", "imagePullSecrets: [{name: regcred}]\nexistingSecret: pg-cred\ntlsSecret: shop-tls\nvolumes: [{name: t, secret: {secretName: x9k2}}]\n"),
    ("a.yaml", "nginx.ingress.kubernetes.io/auth-secret: basic-auth\nnginx.ingress.kubernetes.io/auth-type: basic\n"),
    ("a.yaml", "kind: SealedSecret\nmetadata: {name: x}\nspec: {template: {type: Opaque}}\n---\nkind: ExternalSecret\ndata: [{secretKey: password}]\n"),
    ("a.yaml", "serviceAccountToken: {expirationSeconds: 3600, path: token}\nautomountServiceAccountToken: false\n"),
    ("a.yaml", "components:\n  schemas:\n    Login: {properties: {password: {type: string, format: password}, token: {type: string}}}\n"),
    ("a.yaml", "secrets: inherit\non: {push: {secrets: [DB_PASSWORD]}}\nwith: {token: '${{ secrets.GITHUB_TOKEN }}'}\n"),
    ("a.yaml", "passwordRef: vault:secret/data/db#password\nclientSecretPath: /etc/keys/client1\nsecretStoreRef: {kind: SecretStore, name: vault}\n"),
    ("a.yaml", "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\nprimary_key: id\nsort_key: created_at\n"),
    ("a.yaml", "spec:\n  owner: group:default/token-team\n  providesApis: [token-api, secret-store-api]\n"),
    ("a.json", '{"forgot_password": "Forgot your password?", "password": "Password", "token": null, "secretKey": "", "tokens": 512}'),
    ("a.json", '{"pad_token": "<pad>", "eos_token": "</s>", "unk_token_id": 100, "next_page_token": "CAUQAA12ab"}'),
    ("a.json", '{"token_type": "Bearer", "token_ttl": "15m", "password_hash_algorithm": "argon2id", "credentials_provider": "aws-sso-2"}'),
    ("a.csv", "name,token_count,password_policy,keyword\nx,12,strict-2024a,tax\n"),
    ("a.csv", "token,frequency\nthe,100\nhouse,3\n"),
    ("a.csv", "component,owner\ntoken-service,team-a1b2c3\npassword-reset,team-x9y8z7\n"),
    ("a.csv", "name,value\nTOKEN_URL,https://auth1.example.com\nPASSWORD_POLICY,nist-800-63b\n"),
    ("a.ttl", '@prefix token: <http://t/> .\ntoken:abc123xyz a token:Token1 ; rdfs:label "Token service 2" ; ex:secretName "db-cred" ; ex:maxTokens 100 .\n'),
    ("a.nt", '<http://x/secret/a1b2c3d4> <http://x/tokenUrl> "http://x1/y2" .\n'),
    ("a.rdf", '<r:RDF><e:A e:secretName="x9"><e:passwordPolicy>strict1-abc</e:passwordPolicy></e:A></r:RDF>'),
    ("a.md", "The password is stored in the vault. Passwords are rotated every 90 days. Password: must have 12 characters.\n"),
    ("a.md", "Token: the smallest unit of text.\nSecret: ask the platform team.\n- `password`: string, required\n- `token`: the API token\n"),
    ("a.md", "| field | type |\n|---|---|\n| password | string |\n| token | opaque |\n\n| Token | Meaning |\n|---|---|\n| article | the |\n"),
    ("a.md", "https://bob@example.com/x ssh://git@github.com/a/b git@github.com:a/b.git mailto:bob@example.com contact:ann1@example.com\n"),
    ("a.md", "postgres://bob@db/x postgres://bob:${PW}@db/x postgres://<user>:<password>@db/x https://$USER:$PASS@h/x redis://:@cache\n"),
    ("a.md", "See https://x.example/password/reset?token_type=bearer&page=2#password and nginx:1.25@sha256:abcdef0123456789\n"),
    ("a.md", "Use the --token flag, or --password-file /run/p1. Basic authentication and bearer tokens work. Authorization: required\n"),
    ("a.md", "```python\npassword = os.environ['DB_PASSWORD']\ntoken = get_token(user)\nself.token = token\ndef login(password: str, token: Token) -> None\n```\n"),
    ("a.md", "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----\n"),
    ("a.md", "The commit 3f786850e387550fdab836ed7e6dc881de23001b closes it. SHA-256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n"),
    ("a.md", f"Base64: {base64.b64encode(b'Checkout depends on the Tax service').decode()} and kgplatform/ingest/secrets/names.py\n"),
    ("a.txt", "API_TOKEN_HEADER=X-Api-Token-V2\nSECRET_MANAGER_PROJECT_ID=shop-4711-prod\nTOKEN_EXPIRY=2025-01-01T00:00:00Z\nPWD=/home/bob\n"),
    ("a.txt", "PASSWORD=\nTOKEN=$(cat /run/token)\nSECRET=${A}${B}\n"),
    ("a.txt", "password: ********\ntoken: xxxxxxxx\nsecret: [redacted]\napi key: your-api-key-here\npassword: TBD\n"),
    ("a.txt", "12:30:45@host a:b monkey: banana123x turkey: 12ab34cd compass: north1234 bypass: lane-12ab\n"),
    ("a.yaml","env:\n- {name: TOKEN_URL, value: 'https://x/y'}\n- {name: SECRET_NAME, value: db-cred-1}\n- {name: AUTH_ENABLED, value: 'true'}\n- {name: API_KEY_HEADER, value: X-Api-Key}\n"),
    ("a.yaml","password_policy: strict\npasswordMinLength: 12\npassword_reset_url: https://x/r\ntoken_lifetime: 3600s\ntokenIssuer: keycloak-2\nsecretEngine: kv-v2\n"),
    ("a.yaml","volumes:\n- name: creds\n  secret:\n    secretName: db-cred\n    items: [{key: password, path: pw.txt}]\n- name: token\n  projected: {sources: [{serviceAccountToken: {path: token}}]}\n"),
    ("a.yaml","valueFrom:\n  secretKeyRef:\n    name: db-cred\n    key: db-password\n"),
    ("a.yaml","envFrom: [{secretRef: {name: api-secrets-v2}}]\nserviceAccountName: token-refresher-2\n"),
    ("a.yaml","kind: Role\nrules: [{resources: [secrets, tokens], verbs: [get]}]\n"),
    ("a.yaml","kind: ServiceAccount\nsecrets: [{name: default-token-x7k2p}]\nimagePullSecrets:\n- name: regcred2024a\n"),
    ("a.yaml","tls: [{hosts: [a.b], secretName: tls-cert-2024x}]\ncert-manager.io/cluster-issuer: letsencrypt-v2\nprivateKeySecretRef: {name: le-key-1}\n"),
    ("a.yaml","metadata: {name: token-service, description: Issues tokens and stores password hashes, tags: [secrets, auth2]}\nspec: {owner: group:security-tokens}\n"),
    ("a.yaml", "api_key: \"{{ vault_api_key }}\"\npassword: \"{{ lookup('env', 'PW') }}\"\n"),
    ("a.yaml","password: <%= ENV['PW'] %>\ntoken: __TOKEN__\nsecret: '#{secret}#'\napi_key: '@@API_KEY@@'\n"),
    ("a.yaml", "password: \"\"\npassword2: ''\nsecret: {}\n"),
    ("a.yaml","authors: [Ann B]\nauthority: x9-abcd-77\nkeyspace: users7x\nkeywords: [a1b2c3d4]\nmonkey: abc12345x\ncompass: north12345\n"),
    ("a.yaml","checksum/secret: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\nconfig-hash: a1b2c3d4e5f6\ngit_sha: 3f786850e387550f\n"),
    ("a.yaml","passwordless: true\nbypass: true\ntokenize: true\nsecretary: Ann2024\nsecretariat: x1y2z3a4\n"),
    ("a.yaml","oauth: {tokenEndpoint: 'https://auth1.x/y', clientId: shop-web-4711, scopes: [token.read1]}\n"),
    ("a.yaml","require_password: always\nuse_token: yes\nhas_secret: no\nenable_api_key: true\n"),
    ("a.json",'{"token_count": 4711, "tokens_per_second": 12, "max_tokens": 4096, "total_tokens": 123456, "prompt_tokens": 77}'),
    ("a.json",'{"password": {"type": "string", "minLength": 12}, "$ref": "#/definitions/Token"}'),
    ("a.json",'{"error": "invalid_token", "message": "token expired at 2024-01-01T00:00:00Z", "passwordChangedAt": "2024-01-01"}'),
    ("a.json",'{"label": "Password", "placeholder": "Enter your password", "name": "password", "type": "password"}'),
    ("a.csv","name,password_protected,token_supply\nx,yes,1000000\n"),
    ("a.csv","word,pos\npassword,NOUN\ntoken,NOUN\nsecret,ADJ\n"),
    ("a.csv","relation,count\nhas_password,17\nowned_by,4\n"),
    ("a.csv","team,handles\nidentity,passwords and tokens v2\n"),
    ("a.ttl",':t a :TokenService ; rdfs:label "Token Service 2024x" ; :tokenEndpoint "https://a1.b/c" ; :passwordPolicy "strict-2024a" ; :secretName "db-cred-77x" .\n'),
    ("a.ttl",'ex:password a owl:DatatypeProperty ; rdfs:label "password" ; rdfs:comment "The password of an account v2." .\n'),
    ("a.ttl",'ex:Secret1 a ex:Secret ; ex:storedIn ex:Vault2 .\n'),
    ("a.md","# Password reset\n\nTokens expire after 15m. The token service (v2.3.1) is owned by Identity. See [password policy](https://x/password-policy?v=2).\n"),
    ("a.md","Never put a password in a file: use `${DB_PASSWORD}`, `$DB_PASSWORD`, `<your-password>` or `secretKeyRef`.\n"),
    ("a.md","Set `DB_PASSWORD` to the password of the database. `TOKEN_TTL=3600`, `PASSWORD_MIN_LENGTH=12`, `SECRET_STORE=vault2`.\n"),
    ("a.md","Password: see the vault entry db/prod1.\nToken: issued by auth2 on login.\nAPI key: ask Platform.\n"),
    ("a.md","Secret santa: 24 December. Pass: the ball. Key: C major. Auth: OAuth2.\n"),
    ("a.md","The password is at least 12 characters. The token is valid for 24h. The secret is rotated weekly.\n"),
    ("a.md","Commit 9f86d08, image x/y@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, id 550e8400-e29b-41d4-a716-446655440000, ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 bob@host\n"),
    ("a.md","https://x.y/reset?token=<token>&user=bob https://x.y/?key=value&token_type=bearer&sort_key=a1b2c3d4e5\n"),
    ("a.md","git clone https://github.com/a/b.git && ssh bob@h1:/srv && scp a b@c2:/d && rsync x@y1:z . && docker pull x:1@sha256:ab12\n"),
    ("a.txt","user:alice@corp.com owner:bob2@corp.example cc:x1@y.z urn:uuid:550e8400-e29b-41d4-a716-446655440000 at 12:30@office\n"),
    ("a.txt","def login(user, password=None, token: str = ''):\n    if password == user.password: pass\n    return check_password(password)\n"),
    ("a.txt","password=$(cat /run/secrets/db)\ntoken=`get-token`\nsecret=${SECRET:?missing}\npassword_file=/run/secrets/pw1\nTOKEN=\"$TOKEN\"\n"),
    ("a.xml","<password/><token></token><passwordPolicy>strict1-abcd</passwordPolicy><property name=\"token.url\" value=\"http://x1/y2\"/>"),
    ("a.md", "Pass `store=True` to it; an error comes if the API key is missing.\nexport X_API_KEY=\"sk-...\"\n"),
    ("a.md", "export OPENAI_API_KEY=<your OpenAI API key>\npassword: [your password]\n"),
]  # fmt: skip


def planted(marked: str) -> tuple[str, str]:
    """The text without its marks, and with what stands between them masked."""
    hidden = re.sub("«(.*?)»", lambda match: blank(match[1]), marked, flags=re.DOTALL)
    return marked.replace("«", "").replace("»", ""), hidden


def blank(value: str) -> str:
    return re.sub(r"\S+", lambda word: masking(word[0]), value)


def masking(word: str) -> str:
    sizes = {1: "_", 2: "\u02cd", 3: "\uff3f", 4: "\U0001f512"}
    signs = [sizes[len(sign.encode())] for sign in word]
    return "".join("-" if sign == "_" and n % 2 else sign for n, sign in enumerate(signs))


@pytest.mark.parametrize(("name", "marked"), PLANTED)
def test_a_secret_is_masked_and_nothing_else(name: str, marked: str) -> None:
    text, hidden = planted(marked)
    result = masked(text.encode(), name)

    assert hidden == result.content.decode()
    assert 0 < result.secrets
    assert len(text.encode()) == len(result.content)


@pytest.mark.parametrize(("name", "marked"), PLANTED)
def test_what_was_masked_stays_and_counts_again(name: str, marked: str) -> None:
    first = masked(planted(marked)[0].encode(), name)

    assert first == masked(first.content, name)


@pytest.mark.parametrize(("name", "text"), HARMLESS)
def test_what_only_looks_like_a_secret_stays(name: str, text: str) -> None:
    assert text == masked(text.encode(), name).content.decode()
    assert 0 == masked(text.encode(), name).secrets


@pytest.mark.parametrize(
    ("key", "is_secret"),
    [
        *((key, Verdict.YES) for key in ("DB_PASSWORD", "urlToken", "api-key", "clientSecret", "PGPASSWORD", "dbpassword", "aws.secret.access.key")),
        *((key, Verdict.YES) for key in ("password_1", "TOKEN_PROD", "secret_b64", "smtp_pass", "Encryption Key", "mot de passe", "passphrase")),
        *((key, Verdict.NO) for key in ("TOKEN_URL", "db_password_file", "secretName", "tokenizer", "passwordless", "author", "keyboard", "monkey")),
        *((key, Verdict.NO) for key in ("PASSWORD_MIN_LENGTH", "public_key", "partition key", "compass", "page_token", "", "url", "Keystone")),
        *((key, Verdict.PERHAPS) for key in ("tokens", "SECRET_KEY_BASE", "account_key", "existingSecret", "first_pass", "auth")),
    ],
)
def test_the_last_noun_of_a_key_decides(key: str, is_secret: Verdict) -> None:
    assert is_secret == verdict(key)


def test_lines_and_characters_keep_their_places() -> None:
    text = "password: hünt€r𝟚\r\nowner: Bob\n"
    result = masked(text.encode(), "a.yaml").content.decode()

    assert len(text) == len(result)
    assert text.index("owner") == result.index("owner")
    assert "password: _ˍ_-＿-🔒\r\nowner: Bob\n" == result


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
def test_other_encodings_are_masked_too(encoding: str) -> None:
    content = "user;password;city\nbob;hunter2;Zürich\n".encode(encoding)

    assert "user;password;city\nbob;_-_-_-_;Zürich\n".encode(encoding) == masked(content, "a.csv").content


def test_a_packed_file_is_no_text() -> None:
    content = b"PK\x03\x04 password=hunter2\n"

    assert content == masked(content, "a.xlsx").content


def test_the_first_line_and_the_number_are_told() -> None:
    assert (3, 2) == masked(b"a: b\npassword: x1\ntoken: x2\nurl: ftp://u:p@h/\n", "a.yaml")[1:]


WORDS = st.text(string.ascii_letters + string.digits + "!#%+./=@^_~-", min_size=12, max_size=40).filter(
    lambda value: value.isascii() and any(map(str.isdigit, value)) and value[0].isalpha() and value[-1].isalnum() and re.search(r"[a-z].*[A-Z]", value)
)


@given(WORDS)
def test_no_generated_password_passes_in_any_format(value: str) -> None:
    word = re.sub(r"[/.@:=#%!~]", "x", value)
    for name, text in (
        ("a.yaml", f"env:\n- name: DB_PASSWORD\n  value: '{word}'\n"),
        ("a.json", json.dumps({"clientSecret": word})),
        ("a.csv", f"user,api_key\nbob,{word}\n"),
        ("a.ttl", f'ex:a ex:password "{word}" .'),
        ("a.md", f"Here: password: {word}\n"),
        ("a.txt", f"see postgres://bob:{word}@db/x\n"),
        ("b.yaml", f"kind: Secret\ndata:\n  x: {base64.b64encode(word.encode()).decode()}\n"),
        ("b.md", base64.b64encode(f"TOKEN={word}".encode()).decode()),
    ):
        content = masked(text.encode(), name).content
        assert word.encode() not in content
        assert base64.b64encode(word.encode())[:-4] not in content
        assert len(text.encode()) == len(content)


@given(st.text(max_size=300), st.sampled_from(["a.yaml", "a.json", "a.csv", "a.ttl", "a.rdf", "a.md", "a.txt"]))
def test_any_text_keeps_its_length_and_settles(text: str, name: str) -> None:
    text = f"password: x\n{text}"
    content = text.encode(errors="replace")
    once = masked(content, name).content

    assert len(content) == len(once)
    assert len(content.decode()) == len(once.decode())


def test_a_mask_is_no_value() -> None:
    assert is_masked("_-_-_")
    assert not is_masked("hunter2")
    assert not is_masked("")


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"\xfe\xff\xd8\0a", b"a\0b\0c", b"\xef\xbb\xbf\xff"])
def test_bytes_that_are_cut_off_in_their_encoding_stay(content: bytes) -> None:
    assert (content, 0) == masked(content, "a.md")[:2]
