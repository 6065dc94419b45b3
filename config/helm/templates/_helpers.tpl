{{- define "sigma.name" -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "sigma.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "sigma.chosen" . }}
{{- end }}

{{- define "sigma.chosen" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sigma.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* Nobody special, by the number that the image has. */}}
{{- define "sigma.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "sigma.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Of each secret that may be named, the settings that its keys are files for. */}}
{{- define "sigma.files" -}}
kafka: {SIGMA_KAFKA_PASSWORD_FILE: password}
kafkaCa: {SIGMA_KAFKA_CA_FILE: ca.crt}
kafkaTls: {SIGMA_KAFKA_CERTIFICATE_FILE: tls.crt, SIGMA_KAFKA_KEY_FILE: tls.key}
kafkaTlsPassword: {SIGMA_KAFKA_KEY_PASSWORD_FILE: password}
kafkaOauth: {SIGMA_KAFKA_OAUTH_CLIENT_SECRET_FILE: secret}
kafkaOauthCa: {SIGMA_KAFKA_OAUTH_CA_FILE: ca.crt}
redisCa: {SIGMA_REDIS_CA_FILE: ca.crt}
redisTls: {SIGMA_REDIS_CERTIFICATE_FILE: tls.crt, SIGMA_REDIS_KEY_FILE: tls.key}
redisTlsPassword: {SIGMA_REDIS_KEY_PASSWORD_FILE: password}
sentinel: {SIGMA_REDIS_SENTINEL_PASSWORD_FILE: password}
{{- end }}

{{/* The settings of a process: (list $ user settings secrets). Secrets are files. */}}
{{- define "sigma.environment" -}}
{{- $root := index . 0 }}
{{- $given := mergeOverwrite (dict) $root.Values.settings (index . 2) }}
{{- $secrets := mergeOverwrite (dict) $root.Values.secrets (index . 3) }}
- name: SIGMA_DATASET
  value: {{ ternary "/etc/sigma/dataset/dataset.toml" $root.Values.dataset.name (ne $root.Values.dataset.toml "") | quote }}
- name: SIGMA_REDIS_USER
  value: {{ index . 1 | quote }}
- name: SIGMA_REDIS_PASSWORD_FILE
  value: /etc/sigma/store/password
{{- range $name, $files := include "sigma.files" $root | fromYaml }}
{{- if index $secrets $name }}
{{- range $variable, $key := $files }}
- name: {{ $variable }}
  value: /etc/sigma/{{ $name | kebabcase }}/{{ $key }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := $given }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Where these files are: (list $ secrets). */}}
{{- define "sigma.mounts" -}}
{{- $root := index . 0 }}
{{- $secrets := mergeOverwrite (dict) $root.Values.secrets (index . 1) }}
- {name: tmp, mountPath: /tmp}
- {name: store, mountPath: /etc/sigma/store, readOnly: true}
{{- range $name, $_ := include "sigma.files" $root | fromYaml }}
{{- if index $secrets $name }}
- {name: {{ $name | kebabcase }}, mountPath: /etc/sigma/{{ $name | kebabcase }}, readOnly: true}
{{- end }}
{{- end }}
{{- end }}

{{/* What these mount: (list $ user secrets). Of the store's passwords, that user's. */}}
{{- define "sigma.volumes" -}}
{{- $root := index . 0 }}
{{- $secrets := mergeOverwrite (dict) $root.Values.secrets (index . 2) }}
- name: tmp
  emptyDir: {medium: Memory, sizeLimit: 16Mi}
- name: store
  secret:
    secretName: {{ $root.Values.secrets.store }}
    defaultMode: 0440
    items:
      - {key: {{ index . 1 }}, path: password}
{{- range $name, $files := include "sigma.files" $root | fromYaml }}
{{- with index $secrets $name }}
- name: {{ $name | kebabcase }}
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items:
      {{- range $files }}
      - {key: {{ . }}, path: {{ . }}}
      {{- end }}
{{- end }}
{{- end }}
{{- end }}
