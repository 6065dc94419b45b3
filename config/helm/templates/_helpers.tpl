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

{{/* The settings of a process: (list $ user settings). Secrets are files. */}}
{{- define "sigma.environment" -}}
{{- $root := index . 0 }}
{{- $given := mergeOverwrite (dict) $root.Values.settings (index . 2) }}
- name: SIGMA_DATASET
  value: {{ ternary "/etc/sigma/dataset/dataset.toml" $root.Values.dataset.name (ne $root.Values.dataset.toml "") | quote }}
- name: SIGMA_REDIS_USER
  value: {{ index . 1 | quote }}
- name: SIGMA_REDIS_PASSWORD_FILE
  value: /etc/sigma/store/password
{{- if $root.Values.secrets.kafka }}
- name: SIGMA_KAFKA_PASSWORD_FILE
  value: /etc/sigma/kafka/password
{{- end }}
{{- range $name, $value := $given }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "sigma.mounts" -}}
- {name: tmp, mountPath: /tmp}
- {name: store, mountPath: /etc/sigma/store, readOnly: true}
{{- if .Values.secrets.kafka }}
- {name: kafka, mountPath: /etc/sigma/kafka, readOnly: true}
{{- end }}
{{- end }}

{{/* What these mount: (list $ user). Of the store's passwords, that user's alone. */}}
{{- define "sigma.volumes" -}}
{{- $root := index . 0 }}
- name: tmp
  emptyDir: {medium: Memory, sizeLimit: 16Mi}
- name: store
  secret:
    secretName: {{ $root.Values.secrets.store }}
    defaultMode: 0440
    items:
      - {key: {{ index . 1 }}, path: password}
{{- if $root.Values.secrets.kafka }}
- name: kafka
  secret:
    secretName: {{ $root.Values.secrets.kafka }}
    defaultMode: 0440
    items:
      - {key: password, path: password}
{{- end }}
{{- end }}
